//! `fabric.json`, tulle's own format for networks: it holds all switches, cables and endpoints with all their properties, but not the spec.
//!
//! The file is an object with the lists `switches`, `cables` and `endpoints`. The position of an entry in its list is its id. A switch has
//! `name`, `level`, `role`, `ports` (a number) and `coordinates`. A cable has its ends `a` and `b` (ids or names of switches), the
//! properties of the CSV columns, `class` and `layers`. An endpoint has its `switch`, `name`, `port` (of the switch), `host_port` (the name
//! of its own port on its host) and the properties of its link. `node_guid`, `port_guid`, `lid`, `lmc` (and the `adapter_port` of
//! endpoints) are the InfiniBand addresses of switches and of the adapters of endpoints. `coordinates` and `classes` at the top level name
//! the coordinates of switches and the classes of cables.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock};

use super::Format;
use super::indexed_error::IndexedError;
use super::json::{Json, Object, quoted};
use super::listing::{Listing, MAX_SIZE, check_name};
use super::parts::Part;
use super::properties;
use super::text::{Text, shown};
use tulle_fabric::{Address, Error, Fabric, Link, NO_VIRTUAL_LAYER};

pub const FORMAT: Format = Format {
    word: "fabric",
    name: "fabric.json",
    extensions: &["json"],
    nodes_beside: false,
    either_order: false,
    read,
    refuses: |_| None,
    holds: &[Part::ALL],
    alters: |_| Vec::new(),
    can_name: |_| true,
    sorts: false,
    write: Some(write),
};

/// What the member `format` says.
const KIND: &str = "tulle fabric";

/// Maximum number of coordinate names, and of class names. The limit is small, because these names are stored for the lifetime of the
/// process.
const MAX_NAMES: usize = 64;

fn read(text: &Text) -> Result<Listing, Error> {
    let mut file = Json::new(text)?.object("the file")?;
    if let Some(kind) = file.take("format")
        && kind.string("format")? != KIND
    {
        return Err(kind.error(format!("format is {}; legal: \"{KIND}\"", kind.shown())));
    }
    if let Some(version) = file.take("version") {
        version.number("version", 1)?;
    }
    let Some(switches) = file.take("switches") else {
        let is_node_link = file.take("nodes").is_some();
        let hint = if is_node_link { ", or format=node-link for files of networkx" } else { "" };
        return Err(file.error(format!("no 'switches'; legal: a list of switches{hint}")));
    };
    let switches = switches.list("switches")?;
    let (cables, endpoints) = (file.take_list("cables")?, file.take_list("endpoints")?);
    let [coordinates, classes] = [names(&mut file, "coordinates")?, names(&mut file, "classes")?];
    let mut reader = Reading {
        listing: Listing::default(),
        unread: file.unread().map(str::to_owned).collect(),
        named: HashSet::new(),
        coordinates,
        classes,
        count: switches.len(),
    };
    for switch in switches {
        reader.switch(switch)?;
    }
    for cable in cables {
        reader.cable(cable)?;
    }
    reader.endpoints(endpoints)?;
    let Reading { mut listing, unread, coordinates, classes, .. } = reader;
    listing.warnings.extend(text.ignored("member", unread.iter().map(String::as_str)));
    listing.warnings.extend(listing.reader.warning("member").map(|what| text.warning(what)));
    listing.properties_mut().coordinates.names = coordinates;
    listing.properties_mut().classes.0 = classes;
    Ok(listing)
}

/// Returns the names in the list called `what`.
fn names(file: &mut Object, what: &str) -> Result<Vec<&'static str>, Error> {
    let list = file.take_list(what)?;
    if let Some(further) = list.get(MAX_NAMES) {
        return Err(further.error(format!("too many {what}; legal: at most {MAX_NAMES}")));
    }
    let mut names: Vec<&'static str> = Vec::with_capacity(list.len());
    for value in list {
        let name = value.string(what)?;
        check_name(&name, "class or coordinate").map_err(|problem| value.error(problem))?;
        if names.contains(&name.as_str()) {
            return Err(value.error(format!("{} occurs twice; legal: names that differ", value.shown())));
        }
        names.push(kept(&name));
    }
    Ok(names)
}

/// Stores `name` for the lifetime of the process, because classes and coordinates keep `&'static str` names. Equal names are stored once.
fn kept(name: &str) -> &'static str {
    static KEPT: OnceLock<Mutex<HashSet<&'static str>>> = OnceLock::new();
    let mut kept = KEPT.get_or_init(Mutex::default).lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = kept.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    kept.insert(name);
    name
}

struct Reading {
    listing: Listing,
    /// Names of ignored members.
    unread: BTreeSet<String>,
    /// Names that belong to several switches.
    named: HashSet<String>,
    coordinates: Vec<&'static str>,
    classes: Vec<&'static str>,
    /// The number of switches.
    count: usize,
}

impl Reading {
    fn switch(&mut self, value: Json) -> Result<(), Error> {
        let mut switch = value.object("a switch")?;
        let id = self.listing.listed().0.len();
        let name = match switch.take("name") {
            Some(name) => name.string("name")?,
            None => id.to_string(),
        };
        if self.listing.switch_number(&name).is_some() {
            self.named.insert(name.clone());
        }
        let id = self.listing.next_switch(&name).map_err(|problem| value.error(problem))?;
        let [level, role, ports] = take(&mut switch, properties::SWITCH)?;
        let places = [level.1, role.1, ports.1];
        let known = self.listing.set_switch_properties(id, [&level.0, &role.0, &ports.0]);
        known.map_err(|IndexedError { at, problem }| places[at].error(problem))?;
        let at = switch.take("coordinates");
        let values = at.map_or(Ok(Vec::new()), |at| at.list("coordinates"))?;
        if values.len() != self.coordinates.len() {
            let (count, legal) = (values.len(), self.coordinates.len());
            return Err(
                value.error(format!("{count} coordinates; legal: {legal}, one per name in the file's 'coordinates'"))
            );
        }
        for value in values {
            let coordinate = value.number("a coordinate", u32::MAX.into())? as u32;
            self.listing.properties_mut().coordinates.values.push(coordinate);
        }
        let address = address(&mut switch)?;
        address_at(&mut self.listing.properties_mut().addresses[0], id as usize, address);
        self.unread.extend(switch.unread().map(str::to_owned));
        Ok(())
    }

    /// Returns the switch that `value` refers to, by id or by unique name.
    fn end(&self, value: Json, what: &str) -> Result<u32, Error> {
        if !value.is_string() {
            return Ok(value.number(what, (self.count as u64).saturating_sub(1))? as u32);
        }
        let name = value.string(what)?;
        if self.named.contains(&name) {
            return Err(value.error(format!("'{}' is the name of several switches; legal: an id", shown(&name))));
        }
        let known = self.listing.switch_number(&name);
        known.ok_or_else(|| value.error(format!("no switch '{}'; legal: the name or id of a switch", shown(&name))))
    }

    fn cable(&mut self, value: Json) -> Result<(), Error> {
        let mut cable = value.object("a cable")?;
        let [a, b] = [cable.need("a")?, cable.need("b")?];
        let ends = [self.end(a, "a")?, self.end(b, "b")?];
        self.listing.cable_between(ends).map_err(|problem| value.error(problem))?;
        if ends[0] == ends[1] {
            return Ok(());
        }
        let (link, names) = (take(&mut cable, properties::LINK)?, take(&mut cable, properties::CABLE)?);
        let places: Vec<Json> = link.iter().chain(&names).map(|(_, place)| *place).collect();
        let known = self
            .listing
            .set_cable_properties(link.each_ref().map(|(text, _)| &**text), names.each_ref().map(|(text, _)| &**text));
        known.map_err(|IndexedError { at, problem }| places[at].error(problem))?;
        let classes = self.pair(&mut cable, "class", |reading, value| reading.class(value))?.unwrap_or_default();
        let layers = self.pair(&mut cable, "layers", |_, value| match value.is_null() {
            true => Ok(NO_VIRTUAL_LAYER),
            false => Ok(value.number("a layer", u64::from(NO_VIRTUAL_LAYER) - 1)? as u8),
        })?;
        let count = self.listing.listed().1;
        let properties = self.listing.properties_mut();
        properties.classes.1.push(classes);
        if let Some(layers) = layers {
            properties.layers.resize(count - 1, [NO_VIRTUAL_LAYER; 2]);
            properties.layers.push(layers);
        }
        self.unread.extend(cable.unread().map(str::to_owned));
        Ok(())
    }

    /// Returns the value of the member called `name` for each direction of a cable: a list gives two values, a single value applies to both
    /// directions.
    fn pair(
        &self,
        cable: &mut Object,
        name: &str,
        read: impl Fn(&Self, Json) -> Result<u8, Error>,
    ) -> Result<Option<[u8; 2]>, Error> {
        let Some(value) = cable.take(name) else { return Ok(None) };
        if !value.is_list() {
            return Ok(Some([read(self, value)?; 2]));
        }
        match value.list(name)?.as_slice() {
            &[there, back] => Ok(Some([read(self, there)?, read(self, back)?])),
            values => Err(value.error(format!("{} values in '{name}'; legal: 2, one per direction", values.len()))),
        }
    }

    fn class(&self, value: Json) -> Result<u8, Error> {
        let name = value.string("class")?;
        let known = self.classes.iter().position(|class| *class == name);
        known
            .map(|class| class as u8)
            .ok_or_else(|| value.error(format!("no class {}; legal: a class in the file's 'classes'", value.shown())))
    }

    fn endpoints(&mut self, values: Vec<Json>) -> Result<(), Error> {
        let (mut at, mut known) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        for (id, value) in values.into_iter().enumerate() {
            if id >= MAX_SIZE {
                return Err(value.error(format!("too many endpoints; legal: at most {MAX_SIZE}")));
            }
            let mut endpoint = value.object("an endpoint")?;
            let switch = endpoint.need("switch")?;
            at.push(self.end(switch, "switch")?);
            let [name, port, own] = take(&mut endpoint, ["name", "port", "host_port"])?;
            for ((text, place), kind) in [(&name, "endpoint"), (&port, "port"), (&own, "port")] {
                if !text.is_empty() {
                    check_name(text, kind).map_err(|problem| place.error(problem))?;
                }
            }
            let link = take(
                &mut endpoint,
                [properties::LINK[0], properties::LINK[1], properties::LINK[2], properties::LINK[3]],
            )?;
            let [rate, latency, length, medium] = link.each_ref().map(|(text, _)| &**text);
            let links = self.listing.reader.endpoint_links([rate, latency, length, medium]);
            let [there, _] = links.map_err(|IndexedError { at, problem }| link[at.min(3)].1.error(problem))?;
            known.push((name.0, port.0, there));
            self.listing.properties_mut().host_ports.push(own.0);
            let address = address(&mut endpoint)?;
            address_at(&mut self.listing.properties_mut().addresses[1], id, address);
            self.unread.extend(endpoint.unread().map(str::to_owned));
        }
        for (.., link) in &mut known {
            let mut links = [std::mem::take(link), Link::UNKNOWN];
            self.listing.reader.without_bare(&mut links);
            [*link, _] = links;
        }
        self.listing.set_endpoint_properties(known);
        self.listing.endpoints(at).unwrap_or_default();
        Ok(())
    }
}

/// Returns the texts and positions of the members called `names`.
fn take<'t, const N: usize>(object: &mut Object<'t>, names: [&str; N]) -> Result<[(String, Json<'t>); N], Error> {
    let mut taken = Vec::with_capacity(N);
    for name in names {
        taken.push(object.take_word(name)?);
    }
    Ok(taken.try_into().unwrap_or_else(|_| unreachable!("a text per name")))
}

fn address(part: &mut Object) -> Result<Address, Error> {
    let mut guid = |name: &str| {
        let Some(value) = part.take(name) else { return Ok(0) };
        let text = value.string(name)?;
        let digits = text.strip_prefix("0x").filter(|digits| (1..=16).contains(&digits.len()));
        let guid = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let guid = guid.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        guid.ok_or_else(|| {
            value.error(format!("{name} is {}; legal: a GUID, for example \"0x5f00000000010000\"", value.shown()))
        })
    };
    let (node_guid, port_guid) = (guid("node_guid")?, guid("port_guid")?);
    let mut number =
        |name: &str, most| part.take(name).map_or(Ok(0), |value| value.number(name, most).map(|number| number as u16));
    let (lid, lmc, port) = (number("lid", 0xbfff)?, number("lmc", 7)? as u8, number("adapter_port", 254)? as u8);
    Ok(Address { node_guid, port_guid, lid, lmc, port })
}

fn address_at(addresses: &mut Vec<Address>, at: usize, address: Address) {
    if address != Address::UNKNOWN {
        addresses.resize(at, Address::UNKNOWN);
        addresses.push(address);
    }
}

fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let list = |names: &[&str]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    writeln!(out, "{{\n  \"format\": \"{KIND}\",\n  \"version\": 1,")?;
    let coordinates = fabric.coordinates();
    if !coordinates.names.is_empty() {
        writeln!(out, "  \"coordinates\": [{}],", list(&coordinates.names))?;
    }
    let classes = fabric.class_names();
    if Part::Classes.is_in(fabric) {
        writeln!(out, "  \"classes\": [{}],", list(classes))?;
    }
    writeln!(out, "  \"switches\": [")?;
    let named = fabric.labels() == names;
    for switch in 0..fabric.num_switches() as u32 {
        let mut members = Vec::new();
        if named {
            members.push(("name", quoted(&names[switch as usize])));
        }
        if fabric.levels()[switch as usize] > 0 {
            members.push(("level", fabric.levels()[switch as usize].to_string()));
        }
        members.extend(fabric.switch_role(switch).map(|role| ("role", quoted(role))));
        members.extend(fabric.switch_ports(switch).map(|ports| ("ports", ports.to_string())));
        let at: Vec<String> = coordinates.of(switch).iter().map(u32::to_string).collect();
        if !at.is_empty() {
            members.push(("coordinates", format!("[{}]", at.join(", "))));
        }
        members.extend(of_address(fabric.switch_address(switch)));
        item(out, &members, switch as usize + 1 == fabric.num_switches())?;
    }
    writeln!(out, "  ],\n  \"cables\": [")?;
    let ports = properties::Ports::new(fabric);
    // Cables and endpoints refer to switches by name if all switch names differ, otherwise by id.
    let differ = named && names.iter().collect::<HashSet<_>>().len() == names.len();
    let end = |switch: u32| if differ { quoted(&names[switch as usize]) } else { switch.to_string() };
    for (at, cable) in fabric.cables().enumerate() {
        let back = fabric.reverse()[cable as usize];
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| end(ends[cable as usize]));
        let mut members = vec![("a", a), ("b", b)];
        let texts = properties::texts([fabric.link(cable), fabric.link(back)]);
        let cells =
            properties::CABLE.into_iter().zip(ports.of_cable(cable)).chain(properties::LINK.into_iter().zip(texts));
        members.extend(cells.filter(|(_, text)| !text.is_empty()).map(|(name, text)| {
            let is_number = name.starts_with("cost") && text.parse::<u32>().is_ok();
            (name, if is_number { text } else { quoted(&text) })
        }));
        if classes.len() > 1 {
            let [there, way_back] =
                [cable, back].map(|channel| quoted(classes[fabric.classes()[channel as usize] as usize]));
            let same = there == way_back;
            members.push(("class", if same { there } else { format!("[{there}, {way_back}]") }));
        }
        if let Some(layers) = fabric.virtual_layers().get(cable as usize) {
            let [a, b] = layers.map(|layer| match layer {
                NO_VIRTUAL_LAYER => "null".to_owned(),
                layer => layer.to_string(),
            });
            members.push(("layers", format!("[{a}, {b}]")));
        }
        item(out, &members, at + 1 == fabric.num_cables())?;
    }
    writeln!(out, "  ],\n  \"endpoints\": [")?;
    for (endpoint, &switch) in (0u32..).zip(fabric.endpoint_switch()) {
        let mut members = vec![("switch", end(switch))];
        members.extend(fabric.given_endpoint_name(endpoint).map(|name| ("name", quoted(name))));
        let port = ports.of_endpoint(endpoint);
        members.extend((!port.is_empty()).then(|| ("port", quoted(&port))));
        members.extend(fabric.host_port(endpoint).map(|port| ("host_port", quoted(port))));
        let texts = properties::LINK.into_iter().zip(properties::texts([fabric.endpoint_link(endpoint); 2]));
        members.extend(texts.filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name, quoted(&text))));
        members.extend(of_address(fabric.endpoint_address(endpoint)));
        item(out, &members, endpoint as usize + 1 == fabric.num_endpoints())?;
    }
    writeln!(out, "  ]\n}}")
}

fn of_address(address: Option<Address>) -> Vec<(&'static str, String)> {
    let Some(Address { node_guid, port_guid, lid, lmc, port }) = address else { return Vec::new() };
    let guids = [("node_guid", node_guid), ("port_guid", port_guid)];
    let numbers = [("lid", lid), ("lmc", lmc.into()), ("adapter_port", port.into())];
    let guids =
        guids.into_iter().filter(|(_, guid)| *guid > 0).map(|(name, guid)| (name, format!("\"0x{guid:016x}\"")));
    guids.chain(numbers.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name, n.to_string()))).collect()
}

/// Writes an object as one line of a list.
fn item(out: &mut dyn Write, members: &[(&str, String)], last: bool) -> io::Result<()> {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    writeln!(out, "    {{{}}}{}", members.join(", "), if last { "" } else { "," })
}
