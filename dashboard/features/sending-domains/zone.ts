/** Names of at least two labels that a domain ends in, the longest first: one of them is the zone it is managed in. */
export function zonesOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join('.'))
}

const COUNTRY_LENGTH = 2
const SECOND_LEVEL_LENGTH_MAX = 3

/** The zone it most likely is: `example.com` of `news.example.com`, `example.co.uk` of `news.example.co.uk`. */
export function likelyZone(domain: string): string {
  const labels = domain.split('.')
  const [second = '', top = ''] = labels.slice(-2)
  const isUnderCountry = top.length === COUNTRY_LENGTH && second.length <= SECOND_LEVEL_LENGTH_MAX
  return labels.slice(isUnderCountry ? -3 : -2).join('.')
}

/** A host as panels want it: `postroom._domainkey` within `example.com`, `@` for the zone itself. */
export function hostWithin(host: string, zone: string): string {
  if (host === zone) return '@'
  return host.endsWith(`.${zone}`) ? host.slice(0, -zone.length - 1) : host
}
