/**
 * Zones by their names in lower case. PostgreSQL's own list has some more, links and old names, and reads a file for each
 * of its 1,200 when it is asked: over 1.8 s on a busy machine.
 */
const ZONES = new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => [name.toLowerCase(), name]))

/** Areas of the IANA database: a name of another form is an abbreviation, or of this machine alone. */
const IN_AN_AREA =
  /^(?:africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|chile|etc|europe|indian|mexico|pacific|us)\/[a-z0-9_/+-]+$/i

/** Links that the IANA database has given up, and PostgreSQL with it: a statement in such a zone is an error. Node.js knows them still. */
const GIVEN_UP = new Set(['us/pacific-new', 'canada/east-saskatchewan'])

/** Links that were asked for, in lower case; there are some two hundred. */
const links = new Set<string>()

/**
 * An IANA time zone as it is spelt, whatever the case of the given name; undefined for one that is not in use. Another
 * name of a zone, such as Asia/Kolkata of Asia/Calcutta, stays as it is given.
 */
export function timeZoneNamed(name: string): string | undefined {
  const folded = name.toLowerCase()
  return ZONES.get(folded) ?? (links.has(folded) || isLink(name) ? name : undefined)
}

function isLink(name: string): boolean {
  if (!IN_AN_AREA.test(name) || GIVEN_UP.has(name.toLowerCase())) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
  } catch {
    return false
  }
  links.add(name.toLowerCase())
  return true
}
