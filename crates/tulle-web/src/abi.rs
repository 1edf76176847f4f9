//! The C interface for JavaScript: `alloc`, `run`, `free`. WebAssembly has no strings, so texts are blocks of memory.
//!
//! JavaScript calls `alloc`, writes the request into the block, and calls `run`, which frees this block. `run` returns the address of
//! another block: the length of the answer in four bytes (little-endian), then the answer in UTF-8. JavaScript passes this block to `free`.
//!
//! These names are exported only in WebAssembly. In a native program, the exported `free` would replace the function `free` of the C
//! library.

use std::cell::RefCell;

use crate::Session;

/// Number of bytes before the text of an answer. They hold the length of the text.
const LENGTH: usize = size_of::<u32>();

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Allocates a block for a request of `length` bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Answers the request, and frees its block. The answer's block must be freed with [`free`].
///
/// # Safety
/// `request` must come from [`alloc`] with the same `length`, and must not be used afterwards.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn run(request: *mut u8, length: usize) -> *mut u8 {
    // SAFETY: the caller passes a block that `alloc` made with this length.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, length)) };
    let text = String::from_utf8_lossy(&request);
    let answer = SESSION.with_borrow_mut(|session| session.answer(&text));
    let mut block = Vec::with_capacity(LENGTH + answer.len());
    block.extend_from_slice(&(answer.len() as u32).to_le_bytes());
    block.extend_from_slice(answer.as_bytes());
    Box::into_raw(block.into_boxed_slice()).cast()
}

/// Frees the block of an answer.
///
/// # Safety
/// `answer` must come from [`run`], and must not be used afterwards.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub unsafe extern "C" fn free(answer: *mut u8) {
    // SAFETY: `run` wrote the text's length into the first four bytes, and allocated exactly these and the text.
    unsafe {
        let length = u32::from_le_bytes(answer.cast::<[u8; LENGTH]>().read()) as usize;
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, LENGTH + length)));
    }
}
