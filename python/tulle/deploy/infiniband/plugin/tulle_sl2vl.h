/* Types and functions that the parts of the plug-in share. */

#ifndef TULLE_SL2VL_H
#define TULLE_SL2VL_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <complib/cl_qmap.h>
#include <iba/ib_types.h>
#include <opensm/osm_helper.h>
#include <opensm/osm_log.h>
#include <opensm/osm_node.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_port.h>
#include <opensm/osm_subnet.h>
#include <opensm/osm_switch.h>

#define NAME "tulle_sl2vl"
#define NO_PORT 0xFF
#define LIDS (IB_LID_UCAST_END_HO + 1)
#define LEVELS 16
#define DROPPED 15
#define MOST_PORTS 254

/* The lane of each service level from one input port to one output port. */
struct row {
	uint8_t known;
	uint8_t lane[LEVELS];
};

struct planned_switch {
	uint64_t guid;
	uint8_t *port_of_lid;
	/* The service levels of paths from this switch, by LID; NULL: the switch has no hosts. */
	uint8_t *level_of_lid;
	/* The rows by input port and output port; NULL: none is given. */
	struct row *rows;
	unsigned ports;
};

struct planned_adapter {
	uint64_t guid;
	struct row row;
};

struct planned_lids {
	uint64_t guid;
	uint16_t base, top;
};

struct plan {
	struct planned_switch *switches;
	size_t num_switches, room_switches;
	struct planned_adapter *adapters;
	size_t num_adapters, room_adapters;
	struct planned_lids *lids;
	size_t num_lids, room_lids;
	uint16_t top;
	unsigned lanes;
	/* The index of the switch where paths from a LID start, plus one; 0 for other LIDs. */
	uint32_t *first_switch;
	/* The first digits of the SHA-256 of lfts in bundle.json, which identify the plan in the log. */
	char digest[17];
	/* Whether a LID belongs to an adapter. */
	uint8_t *of_adapter;
};

struct engine {
	osm_opensm_t *osm;
	char *folder;
	struct plan *plan;
	/* Whether an extra sweep has been requested because tables are not as planned. */
	int swept_again;
};

#define EACH(item, table)                                                                                              \
	for (cl_map_item_t *item = cl_qmap_head(table); item != cl_qmap_end(table); item = cl_qmap_next(item))

/* The result of following all paths. */
struct walked {
	uint64_t paths, lost;
	unsigned longest;
};

/* plan.c */

/* Writes one line to OpenSM's log and returns −1. */
int fail(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads the plan in the folder; NULL if it is invalid, with the reason in the log. */
struct plan *read_plan(struct engine *engine);
void forget(struct plan *plan);

struct planned_switch *switch_of(const struct plan *plan, uint64_t guid);
struct planned_adapter *adapter_of(const struct plan *plan, uint64_t guid);
struct planned_lids *lids_of(const struct plan *plan, uint64_t guid);
const struct row *row_of(const struct planned_switch *here, unsigned in, unsigned out);

/* check.c: checks a plan against the actual fabric; −1 if it does not fit, with the reason in the log. */

/* The data lanes that a port supports, or those that are configured. */
unsigned data_lanes(const ib_port_info_t *port, int capable);
int check_lids(struct engine *engine, const struct plan *plan);
int check_lanes(struct engine *engine, const struct plan *plan);
int check_paths(struct engine *engine, struct plan *plan, struct walked *walked);

#endif
