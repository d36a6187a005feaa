import type pg from 'pg'
import { requireMatch } from '../../platform/etag.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { ifMatchOf } from '../../platform/http/serve-etags.ts'
import { API_DOOR, routesOf } from '../door.ts'
import { readWorkspace, updateWorkspace, type Workspace } from './manage-workspaces.ts'
import { WorkspaceProfile, WorkspaceProfileChange } from './schemas.ts'

/** The workspace of a token: its name, and how it shows itself to readers. */
export function workspacesApi(app: HttpApp, deps: { sql: pg.Pool }): void {
  const routes = routesOf(app, API_DOOR, { path: '/workspace', family: 'Workspace' })

  routes.get('', 'get', {
    needs: 'any',
    summary: 'Read the workspace of the token',
    description: 'Its name, and the language, logo, colours and font of the pages and mails that readers get from it.',
    answers: { 200: WorkspaceProfile },
    etag: true,
    handle: async (request) => profileOf(await readWorkspace(deps.sql, request.caller.workspaceId)),
  })

  routes.patch('', 'update', {
    needs: 'integrations:write',
    summary: 'Rename the workspace, and change how readers see it',
    description: 'Absent fields stay, null clears. Its slug stays.',
    body: WorkspaceProfileChange,
    answers: { 200: WorkspaceProfile },
    problems: [412],
    etag: true,
    handle: async (request) => {
      const requireMatchOf = (current: Workspace) => requireMatch(ifMatchOf(request), profileOf(current))
      return profileOf(await updateWorkspace(deps, request.caller, { change: request.body, requireMatchOf }))
    },
  })
}

/** Without what is between the workspace and its members. */
function profileOf({ requireSecondFactor: _, auditRetentionDays: __, ...profile }: Workspace) {
  return profile
}
