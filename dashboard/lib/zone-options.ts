/** Zones to choose from, with the one that is chosen: a browser lists neither UTC nor the old names that it takes. */
export function zoneOptions(chosen: string): { value: string; label: string }[] {
  const zones = new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])
  return [...zones].map((zone) => ({ value: zone, label: zone }))
}
