/* Checks a plan against the actual fabric: LIDs, lanes, every path, and dependency cycles of lanes. */

#include "tulle_sl2vl.h"

/* The other end of the link at a switch port. */
struct link {
	/* Index of the switch behind it, or −1. */
	int32_t to;
	uint8_t in;
	/* LIDs of the adapter behind it. */
	uint16_t base, top;
};

struct there {
	osm_switch_t *here;
	struct link *links;
	unsigned ports;
	uint16_t base;
};

unsigned data_lanes(const ib_port_info_t *port, int capable)
{
	static const unsigned LANES[] = { 1, 1, 2, 4, 8, 15 };
	uint8_t code = capable ? ib_port_info_get_vl_cap(port) : ib_port_info_get_op_vls(port);

	return code < sizeof(LANES) / sizeof(*LANES) ? LANES[code] : 1;
}

/* The lanes that a link will have once OpenSM has set it up. */
static unsigned lanes_of_link(const osm_subn_t *subn, const osm_physp_t *port)
{
	static const unsigned LANES[] = { 1, 1, 2, 4, 8, 15 };
	unsigned lanes = data_lanes(&port->port_info, 1), most = subn->opt.max_op_vls;

	if (port->p_remote_physp && data_lanes(&port->p_remote_physp->port_info, 1) < lanes)
		lanes = data_lanes(&port->p_remote_physp->port_info, 1);
	if (most < sizeof(LANES) / sizeof(*LANES) && LANES[most] < lanes)
		lanes = LANES[most];
	return lanes;
}

int check_lids(struct engine *engine, const struct plan *plan)
{
	osm_subn_t *subn = &engine->osm->subn;
	unsigned unplanned = 0;

	EACH(item, &subn->port_guid_tbl) {
		osm_port_t *port = (osm_port_t *)item;
		uint64_t guid = cl_ntoh64(osm_port_get_guid(port));
		const struct planned_lids *lids = lids_of(plan, guid);
		uint16_t base, top;

		osm_port_get_lid_range_ho(port, &base, &top);
		if (!lids) {
			/* The LIDs of this port must not be those of a planned port. */
			unplanned++;
			for (size_t i = 0; i < plan->num_lids; i++)
				if (base <= plan->lids[i].top && top >= plan->lids[i].base)
					return fail(engine,
						    "port 0x%016" PRIx64 " ('%s') is not planned and has LID %u, "
						    "which is planned for port 0x%016" PRIx64,
						    guid, port->p_node->print_desc, base, plan->lids[i].guid);
			continue;
		}
		if (lids->base != base || lids->top != top)
			return fail(engine,
				    "port 0x%016" PRIx64 " ('%s') has LIDs %u to %u, planned are %u to %u: is guid2lid in "
				    "OpenSM's cache folder, and lmc as planned?",
				    guid, port->p_node->print_desc, base, top, lids->base, lids->top);
	}
	if (unplanned)
		osm_log(&engine->osm->log, OSM_LOG_ERROR, NAME ": %u ports are not planned and cannot be reached\n", unplanned);
	return 0;
}

int check_lanes(struct engine *engine, const struct plan *plan)
{
	osm_subn_t *subn = &engine->osm->subn;

	EACH(item, &subn->node_guid_tbl) {
		osm_node_t *node = (osm_node_t *)item;
		unsigned ports = osm_node_get_num_physp(node);
		uint64_t guid = cl_ntoh64(osm_node_get_node_guid(node));
		const struct planned_switch *here = node->sw ? switch_of(plan, guid) : NULL;
		const struct planned_adapter *adapter = node->sw ? NULL : adapter_of(plan, guid);

		for (unsigned out = 1; out < ports; out++) {
			const osm_physp_t *port = osm_node_get_physp_ptr(node, out);
			unsigned lanes;

			if (!port || !port->p_remote_physp)
				continue;
			lanes = lanes_of_link(subn, port);
			for (unsigned in = 0; in < (here ? ports : 1); in++) {
				const struct row *row = here ? row_of(here, in, out) : adapter ? &adapter->row : NULL;

				for (unsigned level = 0; row && level < LEVELS; level++)
					if (row->lane[level] != DROPPED && row->lane[level] >= lanes)
						return fail(engine,
							    "'%s' port %u has %u virtual lanes, and the plan puts service "
							    "level %u on lane %u",
							    node->print_desc, out, lanes, level, row->lane[level]);
			}
		}
	}
	return 0;
}

static struct there *look_around(struct engine *engine, struct plan *plan)
{
	struct there *there = calloc(plan->num_switches, sizeof(*there));
	osm_subn_t *subn = &engine->osm->subn;

	plan->first_switch = calloc((size_t)plan->top + 1, sizeof(*plan->first_switch));
	plan->of_adapter = calloc((size_t)plan->top + 1, 1);
	if (!there || !plan->first_switch || !plan->of_adapter) {
		free(there);
		return NULL;
	}
	EACH(item, &subn->sw_guid_tbl) {
		osm_switch_t *here = (osm_switch_t *)item;
		const struct planned_switch *planned =
			switch_of(plan, cl_ntoh64(osm_node_get_node_guid(here->p_node)));
		size_t index = planned ? (size_t)(planned - plan->switches) : 0;

		if (!planned) {
			osm_log(&engine->osm->log, OSM_LOG_ERROR, NAME ": switch 0x%016" PRIx64 " ('%s') is not planned: no routes lead there\n",
				cl_ntoh64(osm_node_get_node_guid(here->p_node)), here->p_node->print_desc);
			continue;
		}
		there[index].here = here;
		there[index].ports = osm_node_get_num_physp(here->p_node);
		there[index].base = cl_ntoh16(osm_node_get_base_lid(here->p_node, 0));
		there[index].links = calloc(there[index].ports + 1, sizeof(*there[index].links));
		if (!there[index].links)
			goto out;
		if (there[index].base <= plan->top)
			plan->first_switch[there[index].base] = (uint32_t)index + 1;
		for (unsigned out = 0; out < there[index].ports; out++) {
			struct link *link = &there[index].links[out];
			const osm_physp_t *port = out ? osm_node_get_physp_ptr(here->p_node, out) : NULL;
			const osm_physp_t *behind = port ? port->p_remote_physp : NULL;
			const struct planned_switch *next;

			*link = (struct link){ .to = -1 };
			if (!behind)
				continue;
			if (behind->p_node->sw) {
				next = switch_of(plan, cl_ntoh64(osm_node_get_node_guid(behind->p_node)));
				link->to = next ? (int32_t)(next - plan->switches) : -1;
				link->in = behind->port_num;
			} else {
				unsigned lids = 1U << ib_port_info_get_lmc(&behind->port_info);

				link->base = cl_ntoh16(behind->port_info.base_lid);
				link->top = (uint16_t)(link->base + lids - 1);
				for (unsigned lid = link->base; lid <= link->top && lid <= plan->top; lid++) {
					plan->first_switch[lid] = (uint32_t)index + 1;
					plan->of_adapter[lid] = 1;
				}
			}
		}
	}
	return there;
out:
	for (size_t i = 0; i < plan->num_switches; i++)
		free(there[i].links);
	free(there);
	return NULL;
}

/* The channel dependencies: per switch, bits by (input port, lane) and (output port, lane). */
struct waits {
	uint8_t **bits;
	unsigned lanes;
};

static size_t place(const struct there *there, unsigned lanes, unsigned in, unsigned in_lane, unsigned out, unsigned out_lane)
{
	size_t wide = (size_t)there->ports * lanes;

	return ((size_t)in * lanes + in_lane) * wide + (size_t)out * lanes + out_lane;
}

/* Follows one path and records the dependency of each lane that it uses on the next. */
static int walk(struct engine *engine, const struct plan *plan, const struct there *there, struct waits *waits,
		size_t from, unsigned port, uint16_t lid, struct walked *walked)
{
	unsigned level = plan->switches[from].level_of_lid[lid], in = port, in_lane = 0, hops = 0;
	size_t at = from;

	for (;;) {
		unsigned out = plan->switches[at].port_of_lid[lid];
		const struct link *link;
		const struct row *row;

		if (!there[at].here || out >= there[at].ports) {
			walked->lost++;
			return 0;
		}
		if (!out) {
			if (there[at].base != lid)
				return fail(engine, "the path from '%s' to LID %u ends in '%s'", there[from].here->p_node->print_desc,
					    lid, there[at].here->p_node->print_desc);
			break;
		}
		link = &there[at].links[out];
		if (link->to < 0 && !link->base) {
			walked->lost++;
			return 0;
		}
		row = row_of(&plan->switches[at], in, out);
		if (!row || row->lane[level] == DROPPED)
			return fail(engine, "'%s' has no virtual lane for service level %u from port %u to port %u, which the path "
				    "from '%s' to LID %u takes",
				    there[at].here->p_node->print_desc, level, in, out, there[from].here->p_node->print_desc, lid);
		if (link->to < 0) {
			if (lid < link->base || lid > link->top)
				return fail(engine, "the path from '%s' to LID %u ends at the adapter with LID %u",
					    there[from].here->p_node->print_desc, lid, link->base);
			break;
		}
		if (hops) {
			size_t bit = place(&there[at], waits->lanes, in, in_lane, out, row->lane[level]);

			waits->bits[at][bit / 8] |= (uint8_t)(1U << (bit % 8));
		}
		/* A path without a loop enters each other switch at most once. */
		if (++hops >= plan->num_switches)
			return fail(engine, "the path from '%s' to LID %u loops", there[from].here->p_node->print_desc, lid);
		at = (size_t)link->to;
		in = link->in;
		in_lane = row->lane[level];
	}
	walked->paths++;
	if (hops > walked->longest)
		walked->longest = hops;
	return 0;
}

/* Whether the rows of two input ports are equal, so that only paths from one of them need a check. */
static int same_rows(const struct planned_switch *here, unsigned one, unsigned other)
{
	for (unsigned out = 1; out <= here->ports; out++) {
		const struct row *a = row_of(here, one, out), *b = row_of(here, other, out);

		/* Packets never leave by the port where they arrived. */
		if (out == one || out == other)
			continue;
		if (!a != !b || (a && memcmp(a, b, sizeof(*a))))
			return 0;
	}
	return 1;
}

/* Checks the paths between adapters. Management traffic to and from switches is light and not in the plan. */
static int walk_from(struct engine *engine, const struct plan *plan, const struct there *there, struct waits *waits, size_t from,
		     struct walked *walked)
{
	unsigned sources[MOST_PORTS + 1], num_sources = 0;

	for (unsigned port = 1; port < there[from].ports; port++) {
		unsigned known = 0;

		if (there[from].links[port].to >= 0 || !there[from].links[port].base)
			continue;
		while (known < num_sources && !same_rows(&plan->switches[from], sources[known], port))
			known++;
		if (known == num_sources)
			sources[num_sources++] = port;
	}
	for (unsigned source = 0; source < num_sources; source++)
		for (unsigned lid = 1; lid <= plan->top; lid++)
			if (plan->of_adapter[lid] && plan->first_switch[lid] != from + 1 &&
			    walk(engine, plan, there, waits, from, sources[source], (uint16_t)lid, walked))
				return -1;
	return 0;
}

/* Removes nodes without incoming dependencies until no such node is left. The remaining nodes are on a cycle or reachable from one. */
static int check_cycles(struct engine *engine, const struct plan *plan, const struct there *there, const struct waits *waits)
{
	unsigned lanes = waits->lanes;
	size_t *first = calloc(plan->num_switches + 1, sizeof(*first)), total, done = 0, count = 0;
	uint32_t *indegree = NULL;
	size_t *queue = NULL;
	int status = -1;

	if (!first)
		return fail(engine, "no memory");
	for (size_t at = 0; at < plan->num_switches; at++)
		first[at + 1] = first[at] + (size_t)there[at].ports * lanes;
	total = first[plan->num_switches];
	indegree = calloc(total, sizeof(*indegree));
	queue = calloc(total, sizeof(*queue));
	if (!indegree || !queue) {
		fail(engine, "no memory");
		goto out;
	}
	for (size_t at = 0; at < plan->num_switches; at++) {
		size_t wide = (size_t)there[at].ports * lanes;

		for (size_t bit = 0; bit < wide * wide; bit++)
			if (waits->bits[at] && waits->bits[at][bit / 8] >> (bit % 8) & 1)
				indegree[first[at] + bit % wide]++;
	}
	for (size_t node = 0; node < total; node++)
		if (!indegree[node])
			queue[count++] = node;
	/* A node of the dependency graph is a lane of an output port. */
	while (done < count) {
		size_t node = queue[done++], at = 0, high = plan->num_switches, wide, row;
		const struct link *link;

		while (high - at > 1) {
			size_t middle = (at + high) / 2;

			if (first[middle] <= node)
				at = middle;
			else
				high = middle;
		}
		link = &there[at].links[(node - first[at]) / lanes];
		if (!there[at].ports || link->to < 0 || !waits->bits[link->to])
			continue;
		wide = (size_t)there[link->to].ports * lanes;
		row = ((size_t)link->in * lanes + (node - first[at]) % lanes) * wide;
		for (size_t bit = row; bit < row + wide; bit++)
			if (waits->bits[link->to][bit / 8] >> (bit % 8) & 1 && !--indegree[first[link->to] + bit % wide])
				queue[count++] = first[link->to] + bit % wide;
	}
	status = 0;
	for (size_t at = 0; at < plan->num_switches && !status && count < total; at++)
		for (size_t node = first[at]; node < first[at + 1] && !status; node++)
			if (indegree[node])
				status = fail(engine, "%zu virtual lanes of links can deadlock, for example lane %zu out of "
					      "'%s' port %zu",
					      total - count, (node - first[at]) % lanes, there[at].here->p_node->print_desc,
					      (node - first[at]) / lanes);
out:
	free(first);
	free(indegree);
	free(queue);
	return status;
}

int check_paths(struct engine *engine, struct plan *plan, struct walked *walked)
{
	struct there *there = look_around(engine, plan);
	struct waits waits = { calloc(plan->num_switches, sizeof(uint8_t *)), plan->lanes ? plan->lanes : 1 };
	int status = -1;

	memset(walked, 0, sizeof(*walked));
	if (!there || !waits.bits) {
		fail(engine, "no memory");
		goto out;
	}
	for (size_t at = 0; at < plan->num_switches; at++) {
		size_t wide = (size_t)there[at].ports * waits.lanes;

		if (!there[at].here)
			continue;
		waits.bits[at] = calloc((wide * wide + 7) / 8, 1);
		if (!waits.bits[at]) {
			fail(engine, "no memory");
			goto out;
		}
	}
	for (size_t at = 0; at < plan->num_switches; at++)
		if (there[at].here && plan->switches[at].level_of_lid && walk_from(engine, plan, there, &waits, at, walked))
			goto out;
	status = check_cycles(engine, plan, there, &waits);
out:
	for (size_t at = 0; waits.bits && at < plan->num_switches; at++)
		free(waits.bits[at]);
	free(waits.bits);
	for (size_t at = 0; there && at < plan->num_switches; at++)
		free(there[at].links);
	free(there);
	return status;
}
