//! Profiles of TCP: other values for keys of `tcp`, by name.

use super::tcp::tcp;
use crate::error::ScenarioError;
use crate::ids::ProfileId;
use crate::model::{Link, Tcp};
use crate::text::{Scenario, TcpSpec};
use crate::units::Seconds;
use serde_json::{Map, Value};

/// TCP of all flows, and the profiles in the order of their names.
pub(super) struct Profiles<'a> {
    of_all: &'a TcpSpec,
    named: Vec<(&'a str, TcpSpec)>,
}

impl<'a> Profiles<'a> {
    /// Lay each profile over the TCP of all flows.
    pub(super) fn of(text: &'a Scenario) -> Result<Self, ScenarioError> {
        let named = text.profiles.iter().map(|(name, keys)| Ok((name.as_str(), laid_over(&text.tcp, name, keys)?)));
        Ok(Self { of_all: &text.tcp, named: named.collect::<Result<_, ScenarioError>>()? })
    }

    /// The profile that a key names, if it names one, and its TCP.
    pub(super) fn chosen(&self, key: &str, name: Option<&str>) -> Result<(Option<ProfileId>, &TcpSpec), ScenarioError> {
        let Some(name) = name else { return Ok((None, self.of_all)) };
        match self.named.iter().position(|(known, _)| *known == name) {
            Some(place) => Ok((Some(ProfileId::at(place)), &self.named[place].1)),
            None => Err(ScenarioError::new(key, format!("no profile is called {name:?}"))),
        }
    }

    /// The profiles, checked.
    pub(super) fn read(&self, links: &[Link], duration: Seconds) -> Result<Vec<Tcp>, ScenarioError> {
        let read = |(name, text): &(&str, TcpSpec)| tcp(text, links, duration).map_err(|error| in_profile(name, error));
        self.named.iter().map(read).collect()
    }
}

fn laid_over(tcp: &TcpSpec, name: &str, keys: &Map<String, Value>) -> Result<TcpSpec, ScenarioError> {
    let unreadable = |key: String, message: String| ScenarioError::new(format!("profiles.{name}{key}"), message);
    let Ok(Value::Object(mut all)) = serde_json::to_value(tcp) else {
        return Err(unreadable(String::new(), "the TCP of all flows cannot be laid under it".to_owned()));
    };
    all.extend(keys.clone());
    serde_path_to_error::deserialize(Value::Object(all))
        .map_err(|error| unreadable(format!(".{}", error.path()), error.inner().to_string()))
}

/// A mistake in a profile's own value, under the profile's name.
fn in_profile(name: &str, error: ScenarioError) -> ScenarioError {
    match error.key.strip_prefix("tcp.") {
        Some(key) => ScenarioError::new(format!("profiles.{name}.{key}"), error.message),
        None => error,
    }
}
