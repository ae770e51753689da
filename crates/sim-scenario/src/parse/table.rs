//! Tables of a scenario's JSON, read field by field: every mistake is reported with its key.

use crate::error::ScenarioError;
use crate::units::{BitRate, Percent, Rate, Seconds};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// The longest run: far below what the clock holds, with room for timers set at its end.
pub(super) const MAX_DURATION_S: f64 = 1e6;

/// A table, and which of its fields have been read.
pub(super) struct Table<'a> {
    key: String,
    fields: &'a Map<String, Value>,
    read: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    /// The table at a key; the root has none.
    pub(super) fn at(key: impl Into<String>, value: &'a Value) -> Result<Self, ScenarioError> {
        let key = key.into();
        match value {
            Value::Object(fields) => Ok(Self { key, fields, read: RefCell::default() }),
            other => Err(ScenarioError::new(key, format!("invalid type: {}, expected a table", kind_of(other)))),
        }
    }

    /// A field, if it is given.
    pub(super) fn get(&self, name: &'static str) -> Option<Field<'a>> {
        self.read.borrow_mut().push(name);
        let value = self.fields.get(name).filter(|value| !value.is_null())?;
        Some(Field { key: self.key(name), value })
    }

    /// A field that must be given.
    pub(super) fn need(&self, name: &'static str) -> Result<Field<'a>, ScenarioError> {
        self.get(name).ok_or_else(|| self.refusal(format!("missing field `{name}`")))
    }

    /// A value, or its default.
    pub(super) fn or<T: Deserialize<'a>>(&self, name: &'static str, default: T) -> Result<T, ScenarioError> {
        self.get(name).map_or(Ok(default), |field| field.read())
    }

    /// A number within these bounds, or its default.
    pub(super) fn within_or(
        &self,
        name: &'static str,
        default: f64,
        least: f64,
        most: f64,
    ) -> Result<f64, ScenarioError> {
        self.get(name).map_or(Ok(default), |field| field.within(least, most))
    }

    /// A whole number within these bounds, or its default.
    pub(super) fn count_or<T: Copy + Into<u64> + DeserializeOwned>(
        &self,
        name: &'static str,
        default: T,
        least: f64,
        most: f64,
    ) -> Result<T, ScenarioError> {
        self.get(name).map_or(Ok(default), |field| field.count(least, most))
    }

    /// Milliseconds within these bounds, or their default.
    pub(super) fn ms_or(
        &self,
        name: &'static str,
        default: f64,
        least: f64,
        most: f64,
    ) -> Result<Seconds, ScenarioError> {
        self.within_or(name, default, least, most).map(Seconds::from_ms)
    }

    /// Microseconds within these bounds, or their default.
    pub(super) fn us_or(
        &self,
        name: &'static str,
        default: f64,
        least: f64,
        most: f64,
    ) -> Result<Seconds, ScenarioError> {
        self.within_or(name, default, least, most).map(Seconds::from_us)
    }

    /// A table within it, if it is given.
    pub(super) fn table(&self, name: &'static str) -> Result<Option<Table<'a>>, ScenarioError> {
        self.get(name).map(|field| field.table()).transpose()
    }

    /// Each table of a list; none where there is no list.
    pub(super) fn each<T>(
        &self,
        name: &'static str,
        read: impl Fn(&Table<'a>, usize) -> Result<T, ScenarioError>,
    ) -> Result<Vec<T>, ScenarioError> {
        let Some(list) = self.get(name) else { return Ok(Vec::new()) };
        list.items()?
            .enumerate()
            .map(|(number, item)| {
                let table = item.table()?;
                let value = read(&table, number)?;
                table.finish()?;
                Ok(value)
            })
            .collect()
    }

    /// The kind of what it describes.
    pub(super) fn kind(&self) -> Result<&'a str, ScenarioError> {
        self.need("kind")?.read()
    }

    /// The refusal of a kind that there is not.
    pub(super) fn unknown_kind(&self, kind: &str, known: &[&str]) -> ScenarioError {
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        ScenarioError::new(self.key("kind"), format!("unknown variant `{kind}`, expected one of {known}"))
    }

    /// The key of a field.
    pub(super) fn key(&self, name: &str) -> String {
        if self.key.is_empty() { name.to_owned() } else { format!("{}.{name}", self.key) }
    }

    /// A mistake of the table as a whole.
    pub(super) fn refusal(&self, message: impl Into<String>) -> ScenarioError {
        ScenarioError::new(if self.key.is_empty() { "." } else { &self.key }, message)
    }

    /// A mistake of a field.
    pub(super) fn refusal_of(&self, name: &str, message: impl Into<String>) -> ScenarioError {
        ScenarioError::new(self.key(name), message)
    }

    /// All fields have been read: refuse one that nobody asked for.
    pub(super) fn finish(&self) -> Result<(), ScenarioError> {
        let read = self.read.borrow();
        match self.fields.keys().find(|name| !read.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let known = read.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                Err(self.refusal_of(name, format!("unknown field `{name}`, expected one of {known}")))
            }
        }
    }
}

/// A value with its key.
pub(super) struct Field<'a> {
    pub(super) key: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    /// The value, if it is of this type.
    pub(super) fn read<T: Deserialize<'a>>(&self) -> Result<T, ScenarioError> {
        T::deserialize(self.value).map_err(|error| self.refusal(error.to_string()))
    }

    /// A number within these bounds.
    pub(super) fn within(&self, least: f64, most: f64) -> Result<f64, ScenarioError> {
        in_range(&self.key, self.read()?, least, most)
    }

    /// A whole number within these bounds.
    pub(super) fn count<T: Copy + Into<u64> + DeserializeOwned>(
        &self,
        least: f64,
        most: f64,
    ) -> Result<T, ScenarioError> {
        let value: T = self.read()?;
        in_range(&self.key, value.into() as f64, least, most).map(|_| value)
    }

    pub(super) fn rate(&self) -> Result<BitRate, ScenarioError> {
        self.within(Rate::MIN_BPS as f64, Rate::MAX_BPS as f64).map(BitRate::from_bps)
    }

    pub(super) fn percent(&self) -> Result<Percent, ScenarioError> {
        self.within(0.0, 100.0).map(Percent::from_pct)
    }

    pub(super) fn seconds(&self, least: f64, most: f64) -> Result<Seconds, ScenarioError> {
        self.within(least, most).map(Seconds::from_s)
    }

    pub(super) fn milliseconds(&self, least: f64, most: f64) -> Result<Seconds, ScenarioError> {
        self.within(least, most).map(Seconds::from_ms)
    }

    pub(super) fn microseconds(&self, least: f64, most: f64) -> Result<Seconds, ScenarioError> {
        self.within(least, most).map(Seconds::from_us)
    }

    /// The table that it is.
    pub(super) fn table(&self) -> Result<Table<'a>, ScenarioError> {
        Table::at(self.key.clone(), self.value)
    }

    /// The items of the list that it is, each with its key.
    pub(super) fn items(&self) -> Result<impl Iterator<Item = Field<'a>> + use<'a>, ScenarioError> {
        let Value::Array(items) = self.value else {
            return Err(self.refusal(format!("invalid type: {}, expected a list", kind_of(self.value))));
        };
        let key = self.key.clone();
        Ok(items.iter().enumerate().map(move |(number, value)| Field { key: format!("{key}[{number}]"), value }))
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.is_string()
    }

    /// A mistake of the value.
    pub(super) fn refusal(&self, message: impl Into<String>) -> ScenarioError {
        ScenarioError::new(self.key.clone(), message)
    }
}

/// The value, if it is within these bounds.
pub(super) fn in_range(key: &str, value: f64, least: f64, most: f64) -> Result<f64, ScenarioError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(ScenarioError::new(key, format!("{value} is not between {least} and {most}")))
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("boolean `{value}`"),
        Value::Number(value) => format!("number `{value}`"),
        Value::String(value) => format!("string {value:?}"),
        Value::Array(_) => "list".to_owned(),
        Value::Object(_) => "table".to_owned(),
    }
}
