//! The names below a flow folder for Python: a folder of years has a hundred thousand, and a night asks for those of a
//! few days.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;

/// The prefix of paths in one folder, and the names there in alphabetical order.
type InFolder<'a> = (&'a str, Vec<&'a str>);

/// The usual names of one folder: each printable ASCII, and ended by a line feed.
struct Inside {
    prefix: String,
    names: String,
}

/// What one folder holds besides usual names.
#[derive(Default)]
struct Others {
    odd: Vec<OsString>,
    special: Vec<OsString>,
    folders: Vec<OsString>,
}

/// All names below a folder; links are not followed, and files whose names begin with a dot are left out.
#[pyclass(frozen)]
pub struct FolderNames {
    folders: Vec<Inside>,
    odd: Vec<OsString>,
    special: Vec<OsString>,
    unreadable: Vec<(OsString, i32)>,
}

#[pymethods]
impl FolderNames {
    #[new]
    fn new(py: Python<'_>, folder: PathBuf) -> Self {
        py.detach(move || walked(&folder))
    }

    /// Paths of files that are not printable ASCII.
    #[getter]
    fn odd(&self) -> Vec<OsString> {
        self.odd.clone()
    }

    /// Paths of all that is neither a file nor a folder, those whose names begin with a dot too.
    #[getter]
    fn special(&self) -> Vec<OsString> {
        self.special.clone()
    }

    /// Paths of folders that cannot be read, "" for the folder itself, each with the number of the system's error.
    #[getter]
    fn unreadable(&self) -> Vec<(OsString, i32)> {
        self.unreadable.clone()
    }

    /// The names by folder without those of a minute or second of a day before `first` or after `last`, by `head`,
    /// `YYYYMMDDhhmm` and perhaps `ss`: those surely lie outside.
    fn without_days(&self, head: &str, first: &str, last: &str) -> Vec<InFolder<'_>> {
        self.chosen(|name| {
            let day = name.strip_prefix(head).filter(|digits| is_moment(digits.as_bytes())).map(|digits| &digits[..8]);
            day.is_none_or(|day| (first..=last).contains(&day))
        })
    }

    /// The names by folder with one of these endings, none of which is empty; or those with none of them.
    #[expect(clippy::needless_pass_by_value, reason = "a list of Python is converted")]
    fn ending(&self, endings: Vec<String>, is_so: bool) -> Vec<InFolder<'_>> {
        // most names differ in the last character already
        let lasts: Vec<_> = endings.iter().filter_map(|end| end.as_bytes().last()).collect();
        self.chosen(|name| {
            let may = name.as_bytes().last().is_some_and(|last| lasts.contains(&last));
            (may && endings.iter().any(|end| name.ends_with(end.as_str()))) == is_so
        })
    }
}

impl FolderNames {
    fn chosen(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<InFolder<'_>> {
        let mut found = Vec::new();
        for inside in &self.folders {
            let mut names: Vec<_> = inside.names.split_terminator('\n').filter(|name| is_wanted(name)).collect();
            if !names.is_empty() {
                names.sort_unstable();
                found.push((inside.prefix.as_str(), names));
            }
        }
        found
    }
}

/// Goes through a folder without calls in calls: folders may lie a thousand deep.
fn walked(folder: &Path) -> FolderNames {
    let mut found = FolderNames { folders: vec![], odd: vec![], special: vec![], unreadable: vec![] };
    let mut unread = vec![OsString::new()];
    while let Some(prefix) = unread.pop() {
        match inside(folder, &prefix) {
            Ok((usual, others)) => {
                found.folders.extend(usual);
                found.odd.extend(others.odd);
                found.special.extend(others.special);
                unread.extend(others.folders);
            }
            Err(error) => found.unreadable.push((prefix, error.raw_os_error().unwrap_or_default())),
        }
    }
    found.folders.sort_unstable_by(|one, other| one.prefix.cmp(&other.prefix));
    found
}

/// The usual names in one folder, and all else there; of one that ends with an error nothing is taken.
fn inside(folder: &Path, prefix: &OsStr) -> io::Result<(Option<Inside>, Others)> {
    let usual_prefix = prefix.to_str().filter(|text| is_usual(text.as_bytes()));
    let (mut names, mut others) = (String::new(), Others::default());
    for entry in fs::read_dir(folder.join(prefix))? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type());
        if kind.as_ref().is_ok_and(FileType::is_dir) {
            others.folders.push(joined(prefix, &name, b"/"));
        } else if !kind.is_ok_and(|kind| kind.is_file()) {
            others.special.push(joined(prefix, &name, b""));
        } else if !name.as_bytes().starts_with(b".") {
            match name.to_str().filter(|text| usual_prefix.is_some() && is_usual(text.as_bytes())) {
                Some(text) => {
                    names.push_str(text);
                    names.push('\n');
                }
                None => others.odd.push(joined(prefix, &name, b"")),
            }
        }
    }
    let usual = usual_prefix.filter(|_| !names.is_empty()).map(|text| Inside { prefix: text.to_owned(), names });
    Ok((usual, others))
}

fn joined(prefix: &OsStr, name: &OsStr, end: &[u8]) -> OsString {
    OsString::from_vec([prefix.as_bytes(), name.as_bytes(), end].concat())
}

fn is_usual(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether it is a valid `YYYYMMDDhhmm` or `YYYYMMDDhhmmss` of this or the next century; 29 February is left out.
fn is_moment(digits: &[u8]) -> bool {
    if !matches!(digits.len(), 12 | 14) || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let two = |at: usize| (digits[at] - b'0') * 10 + digits[at + 1] - b'0';
    let days = match two(4) {
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    let seconds = if digits.len() == 14 { two(12) } else { 0 };
    matches!(two(0), 20 | 21) && (1..=days).contains(&two(6)) && two(8) < 24 && two(10) < 60 && seconds < 60
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FolderNames>()
}
