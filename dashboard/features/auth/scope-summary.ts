import { groupsOf, type Scope } from './scope-words.ts'

/** `Contacts: read, change; Events: record`. */
export function scopeSummary(scopes: readonly Scope[]): string {
  return groupsOf(scopes)
    .map(({ area, scopes: acts }) => `${area}: ${acts.map(({ act }) => act.toLowerCase()).join(', ')}`)
    .join('; ')
}
