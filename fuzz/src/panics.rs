//! Which panics count.
//!
//! The readers of some formats catch the panics of the decoders they rest on (`guard` in rfvm-io), which is an accepted
//! end for a damaged file. A panic whose place is in our own crates is a fault even so, and ends the process here;
//! all others are left to the hook of `guard`, which is silent about what will be caught and hands the rest on to
//! that of libFuzzer, which ends the process.

use std::panic;

/// Looks at all panics from now on.
pub(crate) fn watch() {
    // The hook of `guard` is put in place by its first use, and would else lie above this one.
    let nowhere = std::path::Path::new("/nowhere");
    let _ = rfvm_io::read_feather(nowhere, &rfvm_io::ReadOptions::default());
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or("", |place| place.file());
        if place.contains("rfvm") {
            let line = panic.location().map_or(0, |place| place.line());
            eprintln!("panicked in {place}:{line}: {panic}");
            std::process::abort();
        }
        others(panic);
    }));
}
