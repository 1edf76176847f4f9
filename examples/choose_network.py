"""Choose a network for 500 endpoints and 24-port switches, by price and certified throughput.

An architect starts from a number of endpoints, the number of ports of a switch, and a price list. The search uses
closed forms for the sizes of all networks, so it builds no network. Then the best network of each family is built, laid
out on a floor, and certified: a computed flow reaches the throughput. Prices come from a price list of tulle; `tulle
prices new` copies a list, so that you can enter your own quotes.
"""

from tulle.design import design, ranked

found = design(500, radix=24, families=["slimfly", "dragonfly", "hyperx", "fattree"], min_throughput=0.8)
print(f"{found.fitting} of {found.tried} configurations have {found.low} to {found.high} endpoints")

# Certification can change the order: closed forms are upper bounds, and the certified throughput can be lower.
for row in ranked(found, per_family=1).best(per_family=1):
    forms = row.forms
    print(f"{forms.spec}: {forms.endpoints} endpoints, {forms.switches} switches, diameter {forms.diameter}")
    print(f"  {row.cost_per_endpoint:.0f} {found.currency} per endpoint, all-to-all {row.all_to_all:.2f}", end=" ")
    print(f"({row.all_to_all_is})")

# Output:
# 508 of 924 configurations have 450 to 550 endpoints
# hyperx:shape=8x8,p=8: 512 endpoints, 64 switches, diameter 2
#   2662 USD per endpoint, all-to-all 1.00 (certified)
# dragonfly:p=9,a=8,h=8,g=7,arrangement=relative: 504 endpoints, 56 switches, diameter 2
#   2605 USD per endpoint, all-to-all 0.89 (certified)
# slimfly:q=7,p=5: 490 endpoints, 98 switches, diameter 2
#   2999 USD per endpoint, all-to-all 1.00 (certified)
# fattree:levels=3,radix=24,leaves=42,uplinks=12,p=12: 504 endpoints, 114 switches, diameter 4
#   5895 USD per endpoint, all-to-all 1.00 (certified)
