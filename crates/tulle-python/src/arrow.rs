//! Columns as an Arrow C stream: a capsule that pandas, polars, pyarrow and other libraries read without a copy.
//!
//! This module implements the Arrow C data interface (schemas and arrays; Arrow 1.0) and the Arrow C stream interface (Arrow 2.0).
//! Structures have a fixed layout, and the receiver releases each one through a function pointer in the structure. A table is one struct
//! array without nulls, and its children are the columns. Column buffers are the buffers of numpy arrays, which live until the last
//! structure is released.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::ffi::{PyCapsule_GetPointer, PyCapsule_New};
use pyo3::prelude::*;

#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private: *mut c_void,
}

#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private: *mut c_void,
}

#[repr(C)]
struct Stream {
    get_schema: unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int,
    get_next: unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int,
    get_last_error: unsafe extern "C" fn(*mut Stream) -> *const c_char,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private: *mut c_void,
}

const NAME: &CStr = c"arrow_array_stream";

/// A column: its name, its Arrow format string, and its buffers. The validity buffer is not included.
#[derive(FromPyObject)]
pub struct Column(String, String, Vec<Py<PyArray1<u8>>>);

/// Arrays that keep column buffers alive. Freeing them requires the interpreter's lock.
struct Owned(Vec<Py<PyArray1<u8>>>);

impl Drop for Owned {
    fn drop(&mut self) {
        let arrays = std::mem::take(&mut self.0);
        // The consumer can release a structure from any thread at any time. After the interpreter has ended, the arrays are not freed,
        // because the process ends soon anyway.
        if Python::try_attach(|_| ()).is_none() {
            std::mem::forget(arrays);
        } else {
            Python::try_attach(|_| drop(arrays));
        }
    }
}

/// A column as the stream passes it to the consumer.
struct Part {
    name: CString,
    format: CString,
    buffers: Vec<*const c_void>,
    _owned: Owned,
}

// SAFETY: the pointers point into arrays to which no code writes. The field `_owned` keeps these arrays alive.
unsafe impl Send for Part {}
// SAFETY: the same reason as for `Send`.
unsafe impl Sync for Part {}

struct Table {
    rows: i64,
    columns: Vec<Arc<Part>>,
    given: bool,
}

/// Returns a capsule `arrow_array_stream` with one batch of `rows` rows.
#[pyfunction]
pub fn arrow_stream<'py>(py: Python<'py>, rows: i64, columns: Vec<Column>) -> PyResult<Bound<'py, PyAny>> {
    let columns: PyResult<Vec<Arc<Part>>> = columns.into_iter().map(|column| part(py, column).map(Arc::new)).collect();
    let table = Box::new(Table { rows, columns: columns?, given: false });
    let stream = Box::into_raw(Box::new(Stream {
        get_schema,
        get_next,
        get_last_error,
        release: Some(release_stream),
        private: Box::into_raw(table).cast(),
    }));
    // SAFETY: the stream lives until the capsule's destructor frees it.
    unsafe {
        let capsule = PyCapsule_New(stream.cast(), NAME.as_ptr(), Some(free_capsule));
        Bound::from_owned_ptr_or_err(py, capsule).inspect_err(|_| free_stream(stream))
    }
}

fn part(py: Python<'_>, Column(name, format, arrays): Column) -> PyResult<Part> {
    let text = |text: String| CString::new(text).map_err(|_| PyValueError::new_err("a name holds a zero byte"));
    // Arrow requires a non-null address even for empty buffers.
    let mut buffers = vec![null::<c_void>()];
    for array in &arrays {
        let bytes = array.bind(py);
        if !bytes.is_c_contiguous() {
            return Err(PyValueError::new_err("a buffer is not contiguous"));
        }
        buffers.push(bytes.data().cast_const().cast());
    }
    Ok(Part { name: text(name)?, format: text(format)?, buffers, _owned: Owned(arrays) })
}

unsafe extern "C" fn free_capsule(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: the capsule has this name, and its pointer comes from `arrow_stream`.
    unsafe { free_stream(PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast()) }
}

/// Releases a stream if no consumer has released it, and frees its structure.
unsafe fn free_stream(stream: *mut Stream) {
    // SAFETY: `stream` comes from `arrow_stream` and is freed only once.
    unsafe {
        if let Some(release) = (*stream).release {
            release(stream);
        }
        drop(Box::from_raw(stream));
    }
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: consumers of the interface release a stream only once.
    unsafe {
        drop(Box::from_raw((*stream).private.cast::<Table>()));
        (*stream).release = None;
    }
}

unsafe extern "C" fn get_last_error(_: *mut Stream) -> *const c_char {
    null()
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the caller passes a stream that is not released, and memory for a schema.
    unsafe {
        let table = &*(*stream).private.cast::<Table>();
        let children = table.columns.iter().map(column_schema).collect();
        out.write(schema(
            c"+s".as_ptr(),
            c"".as_ptr(),
            Box::new(PrivateData { part: None, children: boxed(children) }),
        ));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: the caller passes a stream that is not released, and memory for an array.
    unsafe {
        let table = &mut *(*stream).private.cast::<Table>();
        if std::mem::replace(&mut table.given, true) {
            // A released array marks the end of the stream.
            out.write(array(0, Vec::new(), None, Vec::new()));
            (*out).release.take().expect("it has just been made")(out);
            return 0;
        }
        let column = |part: &Arc<Part>| array(table.rows, part.buffers.clone(), Some(Arc::clone(part)), Vec::new());
        let children = boxed(table.columns.iter().map(column).collect());
        out.write(array(table.rows, vec![null()], None, children));
    }
    0
}

fn boxed<T>(values: Vec<T>) -> Vec<*mut T> {
    values.into_iter().map(|value| Box::into_raw(Box::new(value))).collect()
}

/// The private data of an Arrow structure. It lives until the structure is released.
struct PrivateData<T> {
    part: Option<Arc<Part>>,
    children: Vec<*mut T>,
}

fn column_schema(part: &Arc<Part>) -> Schema {
    let kept = Box::new(PrivateData { part: Some(Arc::clone(part)), children: Vec::new() });
    schema(part.format.as_ptr(), part.name.as_ptr(), kept)
}

fn schema(format: *const c_char, name: *const c_char, mut kept: Box<PrivateData<Schema>>) -> Schema {
    Schema {
        format,
        name,
        metadata: null(),
        flags: 0,
        n_children: kept.children.len() as i64,
        children: kept.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private: Box::into_raw(kept).cast(),
    }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: a structure is released only once. A child that the consumer has moved out of the structure has a null `release`.
    unsafe {
        let kept = Box::from_raw((*schema).private.cast::<PrivateData<Schema>>());
        for &child in &kept.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        drop(kept.part);
        (*schema).release = None;
    }
}

/// The private data of an array, with its buffers. It lives until the array is released.
struct PrivateArray {
    kept: PrivateData<Array>,
    buffers: Vec<*const c_void>,
}

fn array(length: i64, buffers: Vec<*const c_void>, part: Option<Arc<Part>>, children: Vec<*mut Array>) -> Array {
    let mut kept = Box::new(PrivateArray { kept: PrivateData { part, children }, buffers });
    Array {
        length,
        null_count: 0,
        offset: 0,
        n_buffers: kept.buffers.len() as i64,
        n_children: kept.kept.children.len() as i64,
        buffers: kept.buffers.as_mut_ptr(),
        children: kept.kept.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private: Box::into_raw(kept).cast(),
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: an array is released only once. A child that the consumer has moved out of the array has a null `release`.
    unsafe {
        let kept = Box::from_raw((*array).private.cast::<PrivateArray>());
        for &child in &kept.kept.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        drop(kept.kept.part);
        (*array).release = None;
    }
}
