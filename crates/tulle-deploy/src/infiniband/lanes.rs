//! SL-to-VL tables: the virtual lane of a packet from its service level, by input and output port.

use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_routing::deadlock::VcPlan;

use crate::Error;

/// The service levels that InfiniBand has.
pub const SERVICE_LEVELS: usize = 16;

/// The numbers of data VLs that a port can have; VL15 is for management alone.
pub const DATA_VLS: [u8; 5] = [1, 2, 4, 8, 15];

/// The tables of all switches and adapters.
///
/// Those of a switch tell apart whether a packet comes in from another switch, or from an adapter or the switch itself
/// (its management port, input port 0); toward whichever port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    switches: Vec<[[u8; SERVICE_LEVELS]; 2]>,
    adapters: [u8; SERVICE_LEVELS],
    vls: u8,
    sls: u8,
}

impl Lanes {
    /// The tables of `plan` on ports of `vls` data VLs. A service level that the plan does not use stands for another.
    ///
    /// # Errors
    /// A plan of more service levels or VLs than there are, or that SL-to-VL tables cannot hold.
    pub(super) fn of(fabric: &Fabric, routing: &Routing, plan: &VcPlan, vls: u8) -> Result<Self, Error> {
        if !DATA_VLS.contains(&vls) {
            return Err(Error::Input(format!("vls={vls} is no number of data VLs; legal: 1, 2, 4, 8 or 15")));
        }
        let of = || format!("{} for {} on {}", plan.spec(), routing.spec(), fabric.spec());
        let scheme = plan.scheme();
        if plan.num_vcs() > usize::from(vls) {
            return Err(Error::Input(format!(
                "{} takes {} VLs, ports have vls={vls}; legal: a routing or scheme of fewer ({} needs {}), or hardware of more",
                of(),
                plan.num_vcs(),
                scheme,
                plan.needed_vcs()
            )));
        }
        if plan.num_sls() > SERVICE_LEVELS {
            return Err(Error::Input(format!(
                "{} takes {} service levels; legal: at most {SERVICE_LEVELS}, as {scheme}:sls={SERVICE_LEVELS} may find",
                of(),
                plan.num_sls()
            )));
        }
        let row = |switch: u32, injected: bool| {
            let mut row = [0; SERVICE_LEVELS];
            for (sl, vl) in row.iter_mut().enumerate() {
                *vl = plan.sl_to_vl(switch, injected, (sl % plan.num_sls()) as u8)?;
            }
            Some(row)
        };
        let switches = (0..fabric.num_switches() as u32).map(|switch| Some([row(switch, false)?, row(switch, true)?]));
        let Some(switches) = switches.collect::<Option<Vec<_>>>() else {
            return Err(Error::Input(format!(
                "{scheme} tells virtual channels by hops or phases, which InfiniBand switches do not see; legal: \
                 colouring, dfsssp, lash, one-vc"
            )));
        };
        let adapters = std::array::from_fn(|sl| plan.vc_of(0, (sl % plan.num_sls()) as u8, 0));
        Ok(Self { switches, adapters, vls: plan.num_vcs() as u8, sls: plan.num_sls() as u8 })
    }

    /// The VL by service level of packets that come into `switch` from another switch, or (`injected`) from an adapter or
    /// the switch itself.
    pub fn row(&self, switch: u32, injected: bool) -> &[u8; SERVICE_LEVELS] {
        &self.switches[switch as usize][usize::from(injected)]
    }

    /// The VL by service level of packets that leave an adapter.
    pub fn adapters(&self) -> &[u8; SERVICE_LEVELS] {
        &self.adapters
    }

    /// The data VLs in use: 0 to one below this.
    pub fn vls(&self) -> u8 {
        self.vls
    }

    /// The service levels in use: 0 to one below this.
    pub fn sls(&self) -> u8 {
        self.sls
    }
}
