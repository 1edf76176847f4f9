//! The folder of the example files.

use std::sync::Once;

/// Changes the working directory to `tests/data`, so that file names in examples resolve there.
pub fn enter_data_folder() {
    static ENTER: Once = Once::new();
    ENTER.call_once(|| {
        std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tulle-topologies/tests/data"))
            .expect("the folder is there");
    });
}
