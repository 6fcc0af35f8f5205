//! On macOS an extension's symbols of the interpreter are found when it is loaded; the linker has to be told.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
