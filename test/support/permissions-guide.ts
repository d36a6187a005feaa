import { PERMISSIONS } from '../../server/catalogue/permissions.ts'
import { ROLE_PERMISSIONS, ROLES } from '../../server/modules/auth/roles.ts'
import { type DeclaredRoute, declaredRoutes } from './route-table.ts'

export const PERMISSIONS_GUIDE = 'docs/guides/permissions.md'

const WORKSPACE = '/site/workspaces/{slug}'

/** The guide to permissions as the routes and the table of roles have it. */
export async function permissionsGuide(): Promise<string> {
  const routes = (await declaredRoutes()).filter(({ surface }) => surface === 'site')
  const inWorkspace = routes.filter(({ path }) => path === WORKSPACE || path.startsWith(`${WORKSPACE}/`))
  const others = routes.filter((route) => !inWorkspace.includes(route))
  const rolesRow = `${ROLES.map((role) => `\`${role}\``).join(' | ')} |`
  return `# Permissions

Written by \`npm run docs\` from the routes and from the one table of roles, \`server/modules/auth/roles.ts\`.

Permissions of each role. A token has scopes instead of a role; those marked * are for people only.

| Permission | ${rolesRow}
|---|${ROLES.map(() => '---|').join('')}
${PERMISSIONS.map((permission) => `| ${cell(permission)} | ${marks(permission)}`).join('\n')}

Needs of each operation of the dashboard. Paths begin with \`${WORKSPACE}\`; the same operation of the management API
needs the scope of that name.

| Operation | Needs | ${rolesRow}
|---|---|${ROLES.map(() => '---|').join('')}
${inWorkspace.toSorted(byPath).map(workspaceRow).join('\n')}

Operations that belong to no workspace:

| Operation | Needs |
|---|---|
${others.toSorted(byPath).map(otherRow).join('\n')}
`
}

const FOR_PEOPLE_ONLY = /^(members|workspace):/

function cell(permission: string): string {
  return FOR_PEOPLE_ONLY.test(permission) ? `\`${permission}\` *` : `\`${permission}\``
}

function marks(permission: string): string {
  const has = (role: (typeof ROLES)[number]) => [...ROLE_PERMISSIONS[role]].some((one) => one === permission)
  return `${ROLES.map((role) => (permission === 'any' || has(role) ? 'yes' : '')).join(' | ')} |`
}

function workspaceRow({ method, path, config }: DeclaredRoute): string {
  const { permission = '' } = config
  const needs = permission === 'any' ? 'membership' : `\`${permission}\``
  return `| \`${method} ${path.slice(WORKSPACE.length) || '/'}\` | ${needs} | ${marks(permission)}`
}

function otherRow({ method, path, config }: DeclaredRoute): string {
  return `| \`${method} ${path}\` | ${config.withoutSession ? 'nothing' : 'a login'} |`
}

function byPath(a: DeclaredRoute, b: DeclaredRoute): number {
  return a.path === b.path ? a.method.localeCompare(b.method) : a.path < b.path ? -1 : 1
}
