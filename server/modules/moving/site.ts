import type { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { fileOfForm, isForm } from '../../platform/http/form-file.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { takeStreams, uploadedFile } from '../../platform/http/receive-upload.ts'
import { PageQuery, page, pageOf } from '../../platform/schema/paging.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { routesOf, SITE_DOOR } from '../door.ts'
import { createMove, createMoveOfFile } from './create-move.ts'
import type { Foreseen } from './foresee.ts'
import { cancelMove, isStartable, listMoves, readMove, requireMover, startMove } from './manage-moves.ts'
import type { MovedSoFar } from './moved-so-far.ts'
import type { MovingDeps } from './moving-deps.ts'
import type { MoveRow } from './queries.ts'
import { Move, MoveBody, SourceOfFile } from './schemas.ts'
import { serviceOf } from './sources.ts'

const place = { path: '/moves', family: 'Moves' } as const
/** For 512 MiB to arrive and be stored. */
const UPLOAD_DEADLINE_MS = 1_800_000

const AnyFile = Type.Unsafe<Readable>({
  content: Object.fromEntries(
    ['application/zip', 'text/csv', 'multipart/form-data'].map((type) => [
      type,
      { schema: Type.Unsafe<Readable>({ description: 'The file as it was exported.' }) },
    ]),
  ),
} as unknown as TSchema)

/** Moving here from another service, which only a person does: the key of another account is nothing for a token. */
export function movingSite(app: HttpApp, deps: MovingDeps): void {
  uploadRoute(app, deps)
  const routes = routesOf(app, SITE_DOOR, place)

  routes.post('', 'create', {
    needs: 'contacts:write',
    summary: 'Read another service',
    description:
      'In the background, by its API; nothing there or here is changed. What would come and what would not can be seen ' +
      'then. Takes `templates:write`, `broadcasts:write` and `suppressions:write` as well.',
    body: MoveBody,
    answers: { 201: Move },
    problems: [409, 422],
    secret: true,
    handle: async ({ caller, body }) => {
      requireMover(caller)
      return moveOf(await createMove(deps, caller, body))
    },
  })

  routes.get('', 'list', {
    needs: 'contacts:read',
    summary: 'List moves',
    description: 'The newest first.',
    query: PageQuery,
    answers: { 200: pageOf(Move) },
    handle: async (request) => {
      const { rows, total } = await listMoves(deps.sql, request.caller.workspaceId, request.query)
      return page(request.query, total, rows.map(moveOf))
    },
  })

  routes.get('/:id', 'get', {
    needs: 'contacts:read',
    summary: 'Read a move',
    description: 'With what it lets foresee, and its progress.',
    answers: { 200: Move },
    handle: async ({ caller, params }) =>
      moveOf(await readMove(deps.sql, { workspaceId: caller.workspaceId, id: params.id })),
  })

  routes.post('/:id/start', 'start', {
    needs: 'contacts:write',
    summary: 'Bring in what was read',
    description: 'In the background. One that failed goes on where it was; whatever has come is known again.',
    answers: { 202: Move },
    problems: [409],
    handle: async ({ caller, params }) => moveOf(await startMove(deps, caller, params.id)),
  })

  routes.post('/:id/cancel', 'cancel', {
    needs: 'contacts:write',
    summary: 'Cancel a move',
    description: 'Everything that has come stays, the rest is thrown away.',
    answers: { 200: Move },
    problems: [409],
    handle: async ({ caller, params }) => moveOf(await cancelMove(deps, caller, params.id)),
  })
}

function uploadRoute(app: HttpApp, deps: MovingDeps): void {
  app.register(async (scope) => {
    takeStreams(scope as HttpApp)
    routesOf(scope as HttpApp, SITE_DOOR, place).post('/files', 'upload', {
      needs: 'contacts:write',
      summary: 'Read a file that another service exported',
      description:
        'Of up to 512 MiB. In the background; nothing is changed. A workspace has room for 1 GiB of uploaded files.',
      query: closed({ source: SourceOfFile }),
      body: AnyFile,
      answers: { 201: Move },
      problems: [409, 413, 422],
      deadlineMs: UPLOAD_DEADLINE_MS,
      handle: async ({ caller, query, body, headers }) => {
        requireMover(caller)
        const type = headers['content-type']
        const content = isForm(type)
          ? (await fileOfForm(body, type!)).content
          : uploadedFile(body, headers['content-encoding'])
        return moveOf(await createMoveOfFile(deps, caller, { source: query.source, content }))
      },
    })
  })
}

function moveOf(row: MoveRow): Move {
  const { id, source, address, state, pages, waitsUntil, stage, failure, createdAt, startedAt, endedAt, updatedAt } =
    row
  return {
    ...{ id, source, name: serviceOf(source).name, address, state, canStart: isStartable(row), pages, waitsUntil },
    ...{ foreseen: JSON.parse(row.foreseen) as Foreseen, stage, moved: JSON.parse(row.moved) as MovedSoFar },
    ...{ failure, createdAt, startedAt, endedAt, updatedAt },
  }
}
