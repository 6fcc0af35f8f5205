//! A limit on memory: beyond it an allocation fails, which ends the test unless the reader was ready for it.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most bytes at a time: what a report of a failed test takes, and far more than the small files of the tests justify.
const LIMIT: usize = 256 << 20;

static USED: AtomicUsize = AtomicUsize::new(0);

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

// SAFETY: all is left to the system's allocator, but for requests that are refused with a null pointer.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Relaxed);
        if used.saturating_add(layout.size()) > LIMIT {
            USED.fetch_sub(layout.size(), Relaxed);
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}
