/* Reads a plan: guid2lid, lfts and sl2vl of a bundle. */

#include <ctype.h>
#include <stdarg.h>

#include "tulle_sl2vl.h"

/* A whole file in memory, and the current position. */
struct text {
	const char *name;
	char *bytes, *at, *end;
	unsigned line;
};

int fail(struct engine *engine, const char *format, ...)
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

/* The next line, terminated by a NUL in place of its line end; NULL after the last line. */
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

struct planned_switch *switch_of(const struct plan *plan, uint64_t guid)
{
	struct planned_switch wanted = { .guid = guid };

	return plan->num_switches ? bsearch(&wanted, plan->switches, plan->num_switches, sizeof(wanted), compare_switches)
				  : NULL;
}

struct planned_adapter *adapter_of(const struct plan *plan, uint64_t guid)
{
	struct planned_adapter wanted = { .guid = guid };

	return plan->num_adapters ? bsearch(&wanted, plan->adapters, plan->num_adapters, sizeof(wanted), compare_adapters)
				  : NULL;
}

struct planned_lids *lids_of(const struct plan *plan, uint64_t guid)
{
	struct planned_lids wanted = { .guid = guid };

	return plan->num_lids ? bsearch(&wanted, plan->lids, plan->num_lids, sizeof(wanted), compare_lids) : NULL;
}

const struct row *row_of(const struct planned_switch *here, unsigned in, unsigned out)
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

void forget(struct plan *plan)
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

/* The value of a key in the entry of a file in bundle.json. */
static char *bundle_value(const struct text *bundle, const char *file, const char *name)
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
	char *at = bundle_value(bundle, file, "\"bytes\": ");
	uint64_t size = 0;
	int status;

	snprintf(name, sizeof(name), "%s/%s", engine->folder, file);
	status = read_text(engine, &text, name);
	if (!status && (!at || number(&at, 10, UINT64_MAX, &size)))
		status = fail(engine, "%s has no entry for %s", bundle->name, file);
	if (!status && size != (uint64_t)(text.end - text.bytes))
		status = fail(engine, "%s has %zu bytes, but bundle.json has %" PRIu64 ": write the bundle again", name,
			      (size_t)(text.end - text.bytes), size);
	if (!status)
		status = read(engine, plan, &text);
	free(text.bytes);
	return status;
}

struct plan *read_plan(struct engine *engine)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct text bundle, again;
	char name[4096];
	int status;

	if (!plan) {
		fail(engine, "no memory");
		return NULL;
	}
	/* bundle.json is read again at the end, to detect that another version of the bundle was put in use meanwhile. */
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
			status = fail(engine, "%s changed during reading: send SIGHUP again", name);
		free(again.bytes);
	}
	if (!status && bundle_value(&bundle, "lfts", "\"sha256\": \""))
		snprintf(plan->digest, sizeof(plan->digest), "%s", bundle_value(&bundle, "lfts", "\"sha256\": \""));
	free(bundle.bytes);
	if (status) {
		forget(plan);
		return NULL;
	}
	return plan;
}
