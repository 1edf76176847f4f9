/*
 * A routing engine for an unmodified OpenSM: forwarding tables, SL-to-VL tables and path service levels as tulle
 * computed them. See README.md of the bundle.
 *
 * Loaded by `event_plugin_name tulle_sl2vl`, `event_plugin_options FOLDER`, `routing_engine tulle_sl2vl,no_fallback`.
 * Reads FOLDER/guid2lid, FOLDER/lfts and FOLDER/sl2vl at every heavy sweep, if their sizes match FOLDER/bundle.json.
 * If anything is wrong, the engine writes one line to OpenSM's log and fails, and switches keep their tables.
 */

#include <opensm/osm_event_plugin.h>
#include <opensm/osm_version.h>

#include "tulle_sl2vl.h"

static int build_tables(void *context)
{
	struct engine *engine = context;
	osm_subn_t *subn = &engine->osm->subn;
	struct plan *plan;
	struct walked walked;

	if (!subn->opt.qos)
		return fail(engine, "qos is FALSE, so OpenSM would not set SL-to-VL tables: set qos TRUE");
	plan = read_plan(engine);
	if (!plan)
		return -1;
	if (check_lids(engine, plan) || check_lanes(engine, plan) || check_paths(engine, plan, &walked)) {
		forget(plan);
		return -1;
	}
	EACH(item, &subn->sw_guid_tbl) {
		osm_switch_t *here = (osm_switch_t *)item;

		if (cl_ntoh16(here->switch_info.lin_cap) <= plan->top) {
			fail(engine, "'%s' supports LIDs up to %u, the plan needs LIDs up to %u", here->p_node->print_desc,
			     cl_ntoh16(here->switch_info.lin_cap) - 1U, plan->top);
			forget(plan);
			return -1;
		}
	}
	EACH(item, &subn->sw_guid_tbl) {
		osm_switch_t *here = (osm_switch_t *)item;
		const struct planned_switch *planned = switch_of(plan, cl_ntoh64(osm_node_get_node_guid(here->p_node)));

		for (unsigned lid = 1; planned && lid <= plan->top && lid <= here->max_lid_ho; lid++)
			if (planned->port_of_lid[lid] < osm_node_get_num_physp(here->p_node))
				here->new_lft[lid] = planned->port_of_lid[lid];
	}
	forget(engine->plan);
	engine->plan = plan;
	osm_log(&engine->osm->log, OSM_LOG_INFO,
		NAME ": %zu switches, LIDs to %u, %u virtual lanes; %" PRIu64 " paths of up to %u hops, no dependency cycle of lanes; lfts %s\n",
		plan->num_switches, plan->top, plan->lanes, walked.paths, walked.longest, plan->digest);
	if (walked.lost)
		osm_log(&engine->osm->log, OSM_LOG_ERROR,
			NAME ": %" PRIu64 " paths lead to links or switches that are missing: run tulle deploy repair\n",
			walked.lost);
	return 0;
}

static const struct row *intended(const struct engine *engine, const osm_physp_t *port, unsigned in, unsigned out)
{
	uint64_t guid = cl_ntoh64(osm_node_get_node_guid(port->p_node));
	const struct planned_switch *here;
	const struct planned_adapter *adapter;

	if (!engine->plan)
		return NULL;
	if (port->p_node->sw) {
		here = switch_of(engine->plan, guid);
		return here ? row_of(here, in, out) : NULL;
	}
	adapter = adapter_of(engine->plan, guid);
	return adapter ? &adapter->row : NULL;
}

static void update_sl2vl(void *context, osm_physp_t *port, uint8_t in, uint8_t out, ib_slvl_table_t *table)
{
	const struct row *row = intended(context, port, in, out);

	for (unsigned level = 0; row && level < LEVELS; level += 2)
		table->raw_vl_by_sl[level / 2] = (uint8_t)(row->lane[level] << 4 | row->lane[level + 1]);
}

static uint8_t path_sl(void *context, uint8_t hint, const ib_net16_t source, const ib_net16_t destination)
{
	const struct engine *engine = context;
	const struct plan *plan = engine->plan;
	uint16_t from = cl_ntoh16(source), to = cl_ntoh16(destination);
	const struct planned_switch *first;

	if (!plan || from > plan->top || to > plan->top || !plan->first_switch[from])
		return hint;
	first = &plan->switches[plan->first_switch[from] - 1];
	return first->level_of_lid ? first->level_of_lid[to] : hint;
}

/* After a sweep, compares the answers of switches and adapters with the plan. */
static void report(void *data, osm_epi_event_id_t event, void *unused)
{
	struct engine *engine = data;
	osm_opensm_t *osm = engine->osm;
	unsigned equal = 0, other = 0, masked = 0;

	(void)unused;
	if (event != OSM_EVENT_ID_SUBNET_UP)
		return;
	CL_PLOCK_ACQUIRE(&osm->lock);
	EACH(item, &osm->subn.node_guid_tbl) {
		osm_node_t *node = (osm_node_t *)item;
		unsigned ports = osm_node_get_num_physp(node);

		for (unsigned out = 1; engine->plan && out < ports; out++) {
			osm_physp_t *port = osm_node_get_physp_ptr(node, out);

			for (unsigned in = 0; port && port->p_remote_physp && in < (node->sw ? ports : 1); in++) {
				const struct row *row = intended(engine, port, in, out);
				const ib_slvl_table_t *table = row ? osm_physp_get_slvl_tbl(port, (uint8_t)in) : NULL;
				unsigned differs = 0;

				if (!table)
					continue;
				for (unsigned level = 0; level < LEVELS; level++) {
					uint8_t lane = ib_slvl_table_get(table, (uint8_t)level);

					differs |= lane != row->lane[level];
				}
				equal += !differs;
				other += differs;
				masked += differs && data_lanes(&port->port_info, 0) < engine->plan->lanes;
			}
		}
	}
	if (!other) {
		engine->swept_again = 0;
	} else if (!engine->swept_again) {
		/* OpenSM limits lanes to the OperVLs that the port had before this sweep. */
		engine->swept_again = 1;
		osm->subn.force_heavy_sweep = TRUE;
	}
	CL_PLOCK_RELEASE(&osm->lock);
	if (equal + other)
		osm_log(&osm->log, other ? OSM_LOG_ERROR : OSM_LOG_INFO,
			NAME ": %u of %u SL-to-VL rows as planned%s\n", equal, equal + other,
			masked ? "; OpenSM masks lanes by OperVLs: the next sweep sets the others" : "");
}

static int set_up(struct osm_routing_engine *routing, osm_opensm_t *osm)
{
	(void)osm;
	routing->ucast_build_fwd_tables = build_tables;
	routing->update_sl2vl = update_sl2vl;
	routing->path_sl = path_sl;
	return 0;
}

static void *create(osm_opensm_t *osm)
{
	static external_routing_engine_module_t module = { .name = NAME, .setup = set_up };
	struct engine *engine = calloc(1, sizeof(*engine));
	const char *folder = osm->subn.opt.event_plugin_options;

	if (!engine)
		return NULL;
	engine->osm = osm;
	engine->folder = strdup(folder ? folder : ".");
	if (!engine->folder)
		goto out;
	if (strcmp(osm->osm_version, OSM_VERSION)) {
		fail(engine, "built for %s, but this is %s: build it again", OSM_VERSION, osm->osm_version);
		goto out;
	}
	module.context = engine;
	if (osm_register_external_routing_engine(osm, &module, engine) != CL_SUCCESS) {
		fail(engine, "OpenSM rejects the routing engine");
		goto out;
	}
	return engine;
out:
	free(engine->folder);
	free(engine);
	return NULL;
}

static void destroy(void *data)
{
	struct engine *engine = data;

	forget(engine->plan);
	free(engine->folder);
	free(engine);
}

__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = { OSM_VERSION, create, destroy, report };
