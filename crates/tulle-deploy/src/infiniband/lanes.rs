//! SL-to-VL tables, which give the virtual lane of a packet from its service level and its input and output port.

use tulle_deadlock::VcPlan;
use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::Error;

/// Number of service levels in InfiniBand.
pub const SERVICE_LEVELS: usize = 16;

/// Legal numbers of data VLs per port. VL15 carries only management packets.
pub const DATA_VLS: [u8; 5] = [1, 2, 4, 8, 15];

/// The SL-to-VL tables of all switches and adapters.
///
/// The tables of a switch distinguish two kinds of input port: a port from another switch, and a port from an adapter or from the switch
/// itself (its management port, number 0). The tables do not depend on the output port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    switches: Vec<[[u8; SERVICE_LEVELS]; 2]>,
    adapters: [u8; SERVICE_LEVELS],
    vls: u8,
    sls: u8,
    multicast: Option<u8>,
}

impl Lanes {
    /// Returns the tables of `plan` on ports with `vls` data VLs. If the plan leaves the last VL and the last service level unused,
    /// multicast uses both. Multicast cannot deadlock on its own VL, because its packets follow a single tree. Any other unused service
    /// level gets the VLs of a used service level.
    ///
    /// # Errors
    /// Fails if `vls` is not one of [`DATA_VLS`], if the plan has too many service levels or VLs, or if SL-to-VL tables cannot represent the
    /// plan.
    pub(super) fn of(fabric: &Fabric, routing: &Routing, plan: &VcPlan, vls: u8) -> Result<Self, Error> {
        if !DATA_VLS.contains(&vls) {
            return Err(Error::Input(format!("vls={vls} is not a number of data VLs; legal: 1, 2, 4, 8 or 15")));
        }
        let of = || format!("{} for {} on {}", plan.spec(), routing.spec(), fabric.spec());
        let scheme = plan.scheme();
        if plan.num_vcs() > usize::from(vls) {
            return Err(Error::Input(format!(
                "{} needs {} VLs, but ports have vls={vls}; legal: a routing or scheme with fewer VLs ({} needs {}), \
                 or hardware with more VLs",
                of(),
                plan.num_vcs(),
                scheme,
                plan.needed_vcs()
            )));
        }
        if plan.num_sls() > SERVICE_LEVELS {
            return Err(Error::Input(format!(
                "{} needs {} service levels; legal: at most {SERVICE_LEVELS}, for example with {scheme}:sls={SERVICE_LEVELS}",
                of(),
                plan.num_sls()
            )));
        }
        let spare = plan.num_vcs() < usize::from(vls) && plan.num_sls() < SERVICE_LEVELS;
        let multicast = spare.then_some(SERVICE_LEVELS as u8 - 1);
        let used = |sl: usize| (sl % plan.num_sls()) as u8;
        let of_multicast = |sl: usize| multicast.filter(|&multicast| usize::from(multicast) == sl);
        let row = |switch: u32, injected: bool| {
            let mut row = [vls - 1; SERVICE_LEVELS];
            for (sl, vl) in row.iter_mut().enumerate().filter(|(sl, _)| of_multicast(*sl).is_none()) {
                *vl = plan.sl_to_vl(switch, injected, used(sl))?;
            }
            Some(row)
        };
        let switches = (0..fabric.num_switches() as u32).map(|switch| Some([row(switch, false)?, row(switch, true)?]));
        let Some(switches) = switches.collect::<Option<Vec<_>>>() else {
            return Err(Error::Input(format!(
                "with {scheme}, the virtual channel depends on the hop or the phase of a packet, which InfiniBand switches do not know; \
                 legal: colouring, dfsssp, lash, one-vc"
            )));
        };
        let adapters = std::array::from_fn(|sl| match of_multicast(sl) {
            Some(_) => vls - 1,
            None => plan.vc_of(0, used(sl), 0),
        });
        Ok(Self { switches, adapters, vls: plan.num_vcs() as u8, sls: plan.num_sls() as u8, multicast })
    }

    /// Returns, by service level, the VL on which `switch` sends packets that came from another switch, or (if `injected`) from an adapter
    /// or from the switch itself.
    pub fn row(&self, switch: u32, injected: bool) -> &[u8; SERVICE_LEVELS] {
        &self.switches[switch as usize][usize::from(injected)]
    }

    /// Returns, by service level, the VL of packets that leave an adapter.
    pub fn adapters(&self) -> &[u8; SERVICE_LEVELS] {
        &self.adapters
    }

    /// Returns the service level of multicast packets, which use the last VL; `None` if multicast has no service level of its own.
    pub fn multicast(&self) -> Option<u8> {
        self.multicast
    }

    /// Returns the number n of data VLs that the plan uses: VL 0 to n − 1.
    pub fn vls(&self) -> u8 {
        self.vls
    }

    /// Returns the number n of service levels that the plan uses: SL 0 to n − 1.
    pub fn sls(&self) -> u8 {
        self.sls
    }
}

#[cfg(test)]
mod tests;
