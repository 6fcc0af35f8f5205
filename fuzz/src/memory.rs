//! A limit on memory that holds without a sanitizer: beyond it an allocation fails, which ends the process unless the
//! reader was ready for it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most bytes at a time. Inputs have 64 KiB at most, and deflate makes a thousand times as much of that.
const LIMIT: usize = 256 << 20;

static USED: AtomicUsize = AtomicUsize::new(0);

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Asks for bytes to be counted; false where they are too many.
fn take(bytes: usize) -> bool {
    let fits = USED.fetch_add(bytes, Relaxed).saturating_add(bytes) <= LIMIT;
    if !fits {
        USED.fetch_sub(bytes, Relaxed);
    }
    fits
}

// SAFETY: all is left to the system's allocator, but for requests that are refused with a null pointer.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if take(layout.size()) {
            unsafe { System.alloc(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if take(layout.size()) {
            unsafe { System.alloc_zeroed(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && !take(size - layout.size()) {
            return std::ptr::null_mut();
        }
        USED.fetch_sub(layout.size().saturating_sub(size), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
