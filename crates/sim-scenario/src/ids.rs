//! What a scenario's names stand for. Only the parser makes these, so each one denotes something that exists in the
//! scenario it came from.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            pub(crate) const fn at(index: usize) -> Self {
                Self(index as u32)
            }

            /// Its place in the list of its kind.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A host.
    HostId;
    /// A router.
    RouterId;
    /// A host or a router; hosts come first.
    NodeId;
    /// A link in one direction. The link described as number n is 2n from its `from` to its `to`, and 2n + 1 back.
    LinkId;
    /// A port.
    PortId;
    /// A queue, among those of its port.
    QueueId;
    /// A conditioner, among those of its port.
    ConditionerId;
    /// A flow.
    FlowId;
    /// A profile of TCP.
    ProfileId;
}

impl From<HostId> for NodeId {
    fn from(host: HostId) -> Self {
        Self(host.0)
    }
}

impl LinkId {
    /// Its place in the text, where both directions are one entry.
    pub const fn entry(self) -> usize {
        self.index() / 2
    }

    /// The same link in the other direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}
