/*
 * A routing engine for an unmodified OpenSM: forwarding tables, SL-to-VL tables and path service levels as tulle
 * computed them. See README.md of the bundle.
 *
 * Loaded by `event_plugin_name tulle_sl2vl`, `event_plugin_options FOLDER`, `routing_engine tulle_sl2vl,no_fallback`.
 * Reads FOLDER/guid2lid, FOLDER/lfts and FOLDER/sl2vl at every heavy sweep, if FOLDER/bundle.json says that they are
 * whole. Where anything is wrong, one line in OpenSM's log says what, the engine fails, and switches keep the tables that
 * they have.
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <complib/cl_qmap.h>
#include <iba/ib_types.h>
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_helper.h>
#include <opensm/osm_log.h>
#include <opensm/osm_node.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_port.h>
#include <opensm/osm_subnet.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_version.h>

#define NAME "tulle_sl2vl"
#define NO_PORT 0xFF
#define LIDS (IB_LID_UCAST_END_HO + 1)
#define LEVELS 16
#define DROPPED 15
#define MOST_PORTS 254
/* Longer paths are loops. */
#define MOST_HOPS 64

/* The service levels' lanes out of a port, for what comes in by another. */
struct row {
	uint8_t known;
	uint8_t lane[LEVELS];
};

struct planned_switch {
	uint64_t guid;
	uint8_t *port_of_lid;
	/* Of paths from here, by LID; NULL: no host is here. */
	uint8_t *level_of_lid;
	/* By in-port and out-port; NULL: none named. */
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
	/* The index of the first switch of paths from a LID, plus one; of those in the fabric. */
	uint32_t *first_switch;
	/* The first digits of the SHA-256 that bundle.json says of lfts: which plan this is, in the log. */
	char digest[17];
	/* Whether a LID is an adapter's. */
	uint8_t *of_adapter;
};

struct engine {
	osm_opensm_t *osm;
	char *folder;
	struct plan *plan;
	/* A sweep more, once, where tables are not as planned. */
	int swept_again;
};

/* What is read: a file as a whole, and where in it. */
struct text {
	const char *name;
	char *bytes, *at, *end;
	unsigned line;
};

static int fail(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct engine *engine, const char *format, ...)
{
	char said[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
	osm_log(&engine->osm->log, OSM_LOG_ERROR, NAME ": refused: %s; switches keep their tables\n", said);
	return -1;
}

static void *grown(void *array, size_t used, size_t *room, size_t size)
{
	void *larger;

	if (used < *room)
		return array;
	larger = realloc(array, (*room ? 2 * *room : 64) * size);
	if (larger)
		*room = *room ? 2 * *room : 64;
	return larger;
}

/* Reading. */

static int read_text(struct engine *engine, struct text *text, const char *name)
{
	FILE *file;
	long size = 0;

	memset(text, 0, sizeof(*text));
	text->name = name;
	file = fopen(name, "rb");
	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
		if (file)
			fclose(file);
		return fail(engine, "%s cannot be read", name);
	}
	text->bytes = malloc((size_t)size + 1);
	if (text->bytes && fread(text->bytes, 1, (size_t)size, file) == (size_t)size) {
		fclose(file);
		text->bytes[size] = '\0';
		text->at = text->bytes;
		text->end = text->bytes + size;
		return 0;
	}
	fclose(file);
	free(text->bytes);
	text->bytes = NULL;
	return fail(engine, "%s cannot be read", name);
}

/* The next line, its end made a NUL; NULL after the last. */
static char *next_line(struct text *text)
{
	char *line = text->at, *end;

	if (line >= text->end)
		return NULL;
	end = memchr(line, '\n', (size_t)(text->end - line));
	if (!end)
		end = text->end;
	*end = '\0';
	text->at = end + 1;
	text->line++;
	return line;
}

static int bad_line(struct engine *engine, const struct text *text, const char *what)
{
	return fail(engine, "%s:%u: %s", text->name, text->line, what);
}

static int number(char **at, int base, uint64_t most, uint64_t *value)
{
	char *end;

	while (*at[0] == ' ' || *at[0] == '\t')
		(*at)++;
	if (!isxdigit((unsigned char)**at))
		return -1;
	*value = strtoull(*at, &end, base);
	if (end == *at || *value > most)
		return -1;
	*at = end;
	return 0;
}

static int ends(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return !*at || *at == '#';
}

static int compare_switches(const void *one, const void *other)
{
	uint64_t a = ((const struct planned_switch *)one)->guid, b = ((const struct planned_switch *)other)->guid;

	return a < b ? -1 : a > b;
}

static int compare_adapters(const void *one, const void *other)
{
	uint64_t a = ((const struct planned_adapter *)one)->guid, b = ((const struct planned_adapter *)other)->guid;

	return a < b ? -1 : a > b;
}

static int compare_lids(const void *one, const void *other)
{
	uint64_t a = ((const struct planned_lids *)one)->guid, b = ((const struct planned_lids *)other)->guid;

	return a < b ? -1 : a > b;
}

static struct planned_switch *switch_of(const struct plan *plan, uint64_t guid)
{
	struct planned_switch wanted = { .guid = guid };

	return plan->num_switches ? bsearch(&wanted, plan->switches, plan->num_switches, sizeof(wanted), compare_switches)
				  : NULL;
}

static struct planned_adapter *adapter_of(const struct plan *plan, uint64_t guid)
{
	struct planned_adapter wanted = { .guid = guid };

	return plan->num_adapters ? bsearch(&wanted, plan->adapters, plan->num_adapters, sizeof(wanted), compare_adapters)
				  : NULL;
}

static struct planned_lids *lids_of(const struct plan *plan, uint64_t guid)
{
	struct planned_lids wanted = { .guid = guid };

	return plan->num_lids ? bsearch(&wanted, plan->lids, plan->num_lids, sizeof(wanted), compare_lids) : NULL;
}

static const struct row *row_of(const struct planned_switch *here, unsigned in, unsigned out)
{
	const struct row *row;

	if (!here->rows || in > here->ports || out > here->ports)
		return NULL;
	row = &here->rows[in * (here->ports + 1) + out];
	return row->known ? row : NULL;
}

static int read_lids(struct engine *engine, struct plan *plan, struct text *text)
{
	uint64_t guid, base, top;
	uint8_t *taken = calloc(LIDS, 1);
	char *line;

	if (!taken)
		return fail(engine, "no memory");
	while ((line = next_line(text))) {
		struct planned_lids *larger;

		if (ends(line))
			continue;
		if (number(&line, 16, UINT64_MAX, &guid) || number(&line, 16, IB_LID_UCAST_END_HO, &base) ||
		    number(&line, 16, IB_LID_UCAST_END_HO, &top) || !ends(line) || !base || top < base ||
		    ((top - base + 1) & (top - base)) || (base & (top - base))) {
			free(taken);
			return bad_line(engine, text, "no port GUID with its first and last LID");
		}
		for (uint64_t lid = base; lid <= top; lid++) {
			if (taken[lid]++) {
				free(taken);
				return bad_line(engine, text, "a LID that another port has");
			}
		}
		larger = grown(plan->lids, plan->num_lids, &plan->room_lids, sizeof(*larger));
		if (!larger) {
			free(taken);
			return fail(engine, "no memory");
		}
		plan->lids = larger;
		plan->lids[plan->num_lids++] = (struct planned_lids){ guid, (uint16_t)base, (uint16_t)top };
		if (top > plan->top)
			plan->top = (uint16_t)top;
	}
	free(taken);
	if (!plan->num_lids)
		return fail(engine, "%s: no LIDs", text->name);
	qsort(plan->lids, plan->num_lids, sizeof(*plan->lids), compare_lids);
	for (size_t i = 1; i < plan->num_lids; i++)
		if (plan->lids[i].guid == plan->lids[i - 1].guid)
			return fail(engine, "%s: port 0x%016" PRIx64 " comes twice", text->name, plan->lids[i].guid);
	return 0;
}

static int read_lfts(struct engine *engine, struct plan *plan, struct text *text)
{
	static const char HEAD[] = "Unicast lids";
	struct planned_switch *here = NULL;
	uint64_t guid, lid, port;
	char *line, *found;

	while ((line = next_line(text))) {
		while (isspace((unsigned char)*line))
			line++;
		if (line[0] == '0' && line[1] == 'x') {
			if (!here)
				return bad_line(engine, text, "a LID before any switch");
			line += 2;
			if (number(&line, 16, IB_LID_UCAST_END_HO, &lid) || number(&line, 10, MOST_PORTS, &port) ||
			    !ends(line) || !lid)
				return bad_line(engine, text, "no LID with its port");
			if (lid > plan->top)
				return bad_line(engine, text, "a LID that guid2lid does not have");
			if (here->port_of_lid[lid] != NO_PORT)
				return bad_line(engine, text, "a LID twice in one switch");
			here->port_of_lid[lid] = (uint8_t)port;
		} else if (!strncmp(line, HEAD, strlen(HEAD))) {
			struct planned_switch *larger;

			found = strstr(line, " guid 0x");
			if (found)
				found += strlen(" guid 0x");
			if (!found || number(&found, 16, UINT64_MAX, &guid) || !isspace((unsigned char)*found))
				return bad_line(engine, text, "a switch without its GUID");
			larger = grown(plan->switches, plan->num_switches, &plan->room_switches, sizeof(*larger));
			if (!larger)
				return fail(engine, "no memory");
			plan->switches = larger;
			here = &plan->switches[plan->num_switches];
			memset(here, 0, sizeof(*here));
			here->guid = guid;
			here->port_of_lid = malloc((size_t)plan->top + 1);
			if (!here->port_of_lid)
				return fail(engine, "no memory");
			memset(here->port_of_lid, NO_PORT, (size_t)plan->top + 1);
			plan->num_switches++;
		} else if (!ends(line) && !strstr(line, " lids dumped")) {
			return bad_line(engine, text, "neither a switch nor a LID with its port");
		}
	}
	if (!plan->num_switches)
		return fail(engine, "%s: no switches", text->name);
	qsort(plan->switches, plan->num_switches, sizeof(*plan->switches), compare_switches);
	for (size_t i = 1; i < plan->num_switches; i++)
		if (plan->switches[i].guid == plan->switches[i - 1].guid)
			return fail(engine, "%s: switch 0x%016" PRIx64 " comes twice", text->name, plan->switches[i].guid);
	return 0;
}

static int hold_ports(struct planned_switch *here, unsigned port)
{
	unsigned ports = here->ports ? here->ports : 36;
	struct row *rows;

	if (here->rows && port <= here->ports)
		return 0;
	if (ports < port)
		ports = port;
	rows = calloc((size_t)(ports + 1) * (ports + 1), sizeof(*rows));
	if (!rows)
		return -1;
	for (unsigned in = 0; here->rows && in <= here->ports; in++)
		memcpy(&rows[in * (ports + 1)], &here->rows[in * (here->ports + 1)], (here->ports + 1) * sizeof(*rows));
	free(here->rows);
	here->rows = rows;
	here->ports = ports;
	return 0;
}

static int read_row(struct engine *engine, struct plan *plan, struct text *text, char *line)
{
	struct planned_switch *here;
	struct row read = { .known = 1 }, *row;
	uint64_t guid, in, out, lane;

	if (number(&line, 16, UINT64_MAX, &guid) || number(&line, 10, MOST_PORTS, &in) ||
	    number(&line, 10, MOST_PORTS, &out))
		return bad_line(engine, text, "no node with its in-port and out-port");
	for (unsigned level = 0; level < LEVELS; level++) {
		if (number(&line, 10, LEVELS - 1, &lane))
			return bad_line(engine, text, "not 16 virtual lanes of 0 to 15");
		read.lane[level] = (uint8_t)lane;
		if (lane != DROPPED && lane >= plan->lanes)
			plan->lanes = (unsigned)lane + 1;
	}
	if (!ends(line))
		return bad_line(engine, text, "more than 16 virtual lanes");
	here = switch_of(plan, guid);
	if (here) {
		if (!out || hold_ports(here, (unsigned)(in > out ? in : out)))
			return bad_line(engine, text, out ? "no memory" : "a row toward the port of management");
		row = &here->rows[in * (here->ports + 1) + out];
		if (row->known)
			return bad_line(engine, text, "a row that comes twice");
		*row = read;
		return 0;
	}
	if (in || out)
		return bad_line(engine, text, "a row of a switch that has no forwarding table");
	{
		struct planned_adapter *larger =
			grown(plan->adapters, plan->num_adapters, &plan->room_adapters, sizeof(*larger));

		if (!larger)
			return fail(engine, "no memory");
		plan->adapters = larger;
		plan->adapters[plan->num_adapters++] = (struct planned_adapter){ guid, read };
	}
	return 0;
}

static int read_levels(struct engine *engine, struct plan *plan, struct text *text, char *line)
{
	struct planned_switch *here;
	uint64_t guid;

	if (number(&line, 16, UINT64_MAX, &guid) || *line != ' ')
		return bad_line(engine, text, "no switch with its path service levels");
	here = switch_of(plan, guid);
	if (!here)
		return bad_line(engine, text, "service levels of a switch that has no forwarding table");
	if (here->level_of_lid)
		return bad_line(engine, text, "a switch whose service levels come twice");
	here->level_of_lid = malloc((size_t)plan->top + 1);
	if (!here->level_of_lid)
		return fail(engine, "no memory");
	line++;
	for (unsigned lid = 0; lid <= plan->top; lid++) {
		char digit = line[lid];

		if (digit >= '0' && digit <= '9')
			here->level_of_lid[lid] = (uint8_t)(digit - '0');
		else if (digit >= 'a' && digit <= 'f')
			here->level_of_lid[lid] = (uint8_t)(digit - 'a' + 10);
		else
			return bad_line(engine, text, "not one hexadecimal digit per LID");
	}
	if (!ends(line + plan->top + 1))
		return bad_line(engine, text, "more service levels than LIDs");
	return 0;
}

static int read_sl2vl(struct engine *engine, struct plan *plan, struct text *text)
{
	char *line;
	int status;

	while ((line = next_line(text))) {
		if (ends(line))
			continue;
		if (!strncmp(line, "slvl ", 5))
			status = read_row(engine, plan, text, line + 5);
		else if (!strncmp(line, "psl ", 4))
			status = read_levels(engine, plan, text, line + 4);
		else
			status = bad_line(engine, text, "neither slvl nor psl");
		if (status)
			return status;
	}
	if (plan->num_adapters)
		qsort(plan->adapters, plan->num_adapters, sizeof(*plan->adapters), compare_adapters);
	for (size_t i = 1; i < plan->num_adapters; i++)
		if (plan->adapters[i].guid == plan->adapters[i - 1].guid)
			return fail(engine, "%s: adapter 0x%016" PRIx64 " comes twice", text->name, plan->adapters[i].guid);
	return 0;
}

static void forget(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->num_switches; i++) {
		free(plan->switches[i].port_of_lid);
		free(plan->switches[i].level_of_lid);
		free(plan->switches[i].rows);
	}
	free(plan->switches);
	free(plan->adapters);
	free(plan->lids);
	free(plan->first_switch);
	free(plan->of_adapter);
	free(plan);
}

/* What bundle.json says of a file, behind a name. */
static char *told(const struct text *bundle, const char *file, const char *name)
{
	char key[64];
	char *at;

	snprintf(key, sizeof(key), "\"%s\": {", file);
	at = strstr(bundle->bytes, key);
	at = at ? strstr(at, name) : NULL;
	return at ? at + strlen(name) : NULL;
}

static int read_file(struct engine *engine, struct plan *plan, const struct text *bundle, const char *file,
		     int (*read)(struct engine *, struct plan *, struct text *))
{
	struct text text;
	char name[4096];
	char *at = told(bundle, file, "\"bytes\": ");
	uint64_t size = 0;
	int status;

	snprintf(name, sizeof(name), "%s/%s", engine->folder, file);
	status = read_text(engine, &text, name);
	if (!status && (!at || number(&at, 10, UINT64_MAX, &size)))
		status = fail(engine, "%s says nothing of %s", bundle->name, file);
	if (!status && size != (uint64_t)(text.end - text.bytes))
		status = fail(engine, "%s has %zu bytes, and bundle.json says %" PRIu64 ": write the bundle anew", name,
			      (size_t)(text.end - text.bytes), size);
	if (!status)
		status = read(engine, plan, &text);
	free(text.bytes);
	return status;
}

static struct plan *read_plan(struct engine *engine)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct text bundle, again;
	char name[4096];
	int status;

	if (!plan) {
		fail(engine, "no memory");
		return NULL;
	}
	/* It is not there while files are written, and is written last. */
	snprintf(name, sizeof(name), "%s/bundle.json", engine->folder);
	status = read_text(engine, &bundle, name);
	if (!status)
		status = read_file(engine, plan, &bundle, "guid2lid", read_lids);
	if (!status)
		status = read_file(engine, plan, &bundle, "lfts", read_lfts);
	if (!status)
		status = read_file(engine, plan, &bundle, "sl2vl", read_sl2vl);
	if (!status) {
		status = read_text(engine, &again, name);
		if (!status && strcmp(bundle.bytes, again.bytes))
			status = fail(engine, "%s has changed meanwhile: send SIGHUP again", name);
		free(again.bytes);
	}
	if (!status && told(&bundle, "lfts", "\"sha256\": \""))
		snprintf(plan->digest, sizeof(plan->digest), "%s", told(&bundle, "lfts", "\"sha256\": \""));
	free(bundle.bytes);
	if (status) {
		forget(plan);
		return NULL;
	}
	return plan;
}

/* Checks against the fabric that is there. */

#define EACH(item, table)                                                                                              \
	for (cl_map_item_t *item = cl_qmap_head(table); item != cl_qmap_end(table); item = cl_qmap_next(item))

/* A port and what it is linked to, of a switch of the plan that is there. */
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

static unsigned data_lanes(const ib_port_info_t *port, int capable)
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

static int check_lids(struct engine *engine, const struct plan *plan)
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
			/* Elsewhere than where packets to somebody else go. */
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

static int check_lanes(struct engine *engine, const struct plan *plan)
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

/* Which lane of which link waits for which: per switch, bits by (in-port, lane) and (out-port, lane). */
struct waits {
	uint8_t **bits;
	unsigned lanes;
};

static size_t place(const struct there *there, unsigned lanes, unsigned in, unsigned in_lane, unsigned out, unsigned out_lane)
{
	size_t wide = (size_t)there->ports * lanes;

	return ((size_t)in * lanes + in_lane) * wide + (size_t)out * lanes + out_lane;
}

struct walked {
	uint64_t paths, lost;
	unsigned longest;
};

/* Follows one path; every lane of a link that it takes waits for the next. */
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
		if (++hops > MOST_HOPS)
			return fail(engine, "the path from '%s' to LID %u leads around", there[from].here->p_node->print_desc, lid);
		at = (size_t)link->to;
		in = link->in;
		in_lane = row->lane[level];
	}
	walked->paths++;
	if (hops > walked->longest)
		walked->longest = hops;
	return 0;
}

/* Whether the rows of two in-ports are the same, so that paths from one tell those from the other. */
static int same_rows(const struct planned_switch *here, unsigned one, unsigned other)
{
	for (unsigned out = 1; out <= here->ports; out++) {
		const struct row *a = row_of(here, one, out), *b = row_of(here, other, out);

		/* Nothing comes back out of the port that it came in by. */
		if (out == one || out == other)
			continue;
		if (!a != !b || (a && memcmp(a, b, sizeof(*a))))
			return 0;
	}
	return 1;
}

/* Paths between adapters, which the plan is of: what management sends to and from switches themselves is little. */
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

/* Takes away what waits for nothing that is left, until nothing is left or all of it waits in circles. */
static int check_circles(struct engine *engine, const struct plan *plan, const struct there *there, const struct waits *waits)
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
	/* A node is a lane out of a port of a switch. */
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
				status = fail(engine, "%zu virtual lanes of links can wait for each other in circles, as lane %zu out of "
					      "'%s' port %zu",
					      total - count, (node - first[at]) % lanes, there[at].here->p_node->print_desc,
					      (node - first[at]) / lanes);
out:
	free(first);
	free(indegree);
	free(queue);
	return status;
}

static int check_paths(struct engine *engine, struct plan *plan, struct walked *walked)
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
	status = check_circles(engine, plan, there, &waits);
out:
	for (size_t at = 0; waits.bits && at < plan->num_switches; at++)
		free(waits.bits[at]);
	free(waits.bits);
	for (size_t at = 0; there && at < plan->num_switches; at++)
		free(there[at].links);
	free(there);
	return status;
}

/* What OpenSM calls. */

static int build_tables(void *context)
{
	struct engine *engine = context;
	osm_subn_t *subn = &engine->osm->subn;
	struct plan *plan;
	struct walked walked;

	if (!subn->opt.qos)
		return fail(engine, "qos is FALSE, so that SL-to-VL tables would not be set: say qos TRUE");
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
			fail(engine, "'%s' holds LIDs to %u, planned are LIDs to %u", here->p_node->print_desc,
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
	engine->swept_again = 0;
	osm_log(&engine->osm->log, OSM_LOG_INFO,
		NAME ": %zu switches, LIDs to %u, %u virtual lanes; %" PRIu64 " paths of up to %u hops, no circle of lanes; lfts %s\n",
		plan->num_switches, plan->top, plan->lanes, walked.paths, walked.longest, plan->digest);
	if (walked.lost)
		osm_log(&engine->osm->log, OSM_LOG_ERROR,
			NAME ": %" PRIu64 " paths lead to links or switches that are not there: run tulle deploy repair\n",
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

/* After a sweep: what the switches and adapters answered against the plan. */
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
	if (other && !engine->swept_again) {
		/* OpenSM masks lanes by the OperVLs that a port had before this sweep set them. */
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
		fail(engine, "built for %s, and this is %s: build it anew", OSM_VERSION, osm->osm_version);
		goto out;
	}
	module.context = engine;
	if (osm_register_external_routing_engine(osm, &module, engine) != CL_SUCCESS) {
		fail(engine, "OpenSM does not take the routing engine");
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

osm_event_plugin_t osm_event_plugin = { OSM_VERSION, create, destroy, report };
