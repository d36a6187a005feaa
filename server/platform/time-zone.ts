/**
 * Zones by their names in lower case. PostgreSQL's own list has some more, links and old names, and reads a file for each
 * of its 1,200 when it is asked: over 1.8 s on a busy machine.
 */
const ZONES = new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => [name.toLowerCase(), name]))

/** An IANA time zone as it is spelt, whatever the case of the given name; undefined for one that is not in use. */
export function timeZoneNamed(name: string): string | undefined {
  return ZONES.get(name.toLowerCase())
}
