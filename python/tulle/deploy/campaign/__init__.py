"""A failure campaign: random failures and repairs of a deployed network over simulated weeks."""

from tulle.deploy.campaign.rates import Rates
from tulle.deploy.campaign.result import Campaign
from tulle.deploy.campaign.run import campaign

__all__ = ["Campaign", "Rates", "campaign"]
