//! Gives tests access to the folder with example files.

use std::sync::Once;

/// Changes the working directory to `tests/data`, so that the file names in example specs are found.
pub fn enter_data_folder() {
    static ENTER: Once = Once::new();
    ENTER.call_once(|| {
        std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tulle-topologies/tests/data"))
            .expect("the folder is there");
    });
}
