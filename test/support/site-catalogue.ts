import { SYSTEM_NAMES } from '../../server/catalogue/domain-events.ts'
import { READER_LANGUAGES } from '../../server/catalogue/reader-languages.ts'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { ROLE_PERMISSIONS, ROLES } from '../../server/modules/auth/roles.ts'

/** The closed lists of the server that the dashboard shows whole. */
export const SITE_CATALOGUE = 'dashboard/lib/catalogue.ts'

/** The text of `dashboard/lib/catalogue.ts`. */
export function siteCatalogue(): string {
  const roles = ROLES.map((role) => `  ${role}: [${listed(ROLE_PERMISSIONS[role])}],`)
  return `// Written by \`npm run docs\` from the catalogue of the server; a test holds it to that.
import type { Permission, Role } from './site-types.ts'

/** Names that the system delivers events under. */
export const SYSTEM_EVENTS = [${listed(SYSTEM_NAMES)}] as const

/** Scopes a token can have. */
export const SCOPES = [${listed(SCOPES)}] as const

/** Languages that readers are written to. */
export const READER_LANGUAGES = [${listed(READER_LANGUAGES)}] as const

/** What each role may do, from the one that may do most. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
${roles.join('\n')}
}
`
}

function listed(names: Iterable<string>): string {
  return [...names].map((name) => `'${name}'`).join(', ')
}
