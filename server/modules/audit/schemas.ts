import { Type } from 'typebox'
import { answer, closed, FreeForm, Id, nullable, oneOf, Timestamp } from '../../platform/schema/schemas.ts'
import { CHAIN_FAULTS } from './verify-audit.ts'

const ACTOR_KINDS = ['user', 'api_token', 'operator', 'system'] as const

export const AuditEntry = answer('AuditEntry', {
  id: Id,
  occurredAt: Timestamp,
  actor: Type.Object({ kind: oneOf(ACTOR_KINDS), id: nullable(Type.String()), name: nullable(Type.String()) }),
  action: Type.String({ examples: ['membership.update'] }),
  target: Type.Object({ type: Type.String(), id: nullable(Type.String()), name: nullable(Type.String()) }),
  diff: FreeForm,
  requestId: nullable(Type.String()),
  ip: nullable(Type.String({ description: 'Client address.' })),
  userAgent: nullable(Type.String()),
})

const filters = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Only entries at or after this time.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Only entries strictly before this time.' })),
  actorKind: Type.Optional(oneOf(ACTOR_KINDS, { description: 'Only entries by this kind of actor.' })),
  actorId: Type.Optional(
    Type.String({ description: 'Only entries by this user or API token; ignored when actorKind is operator.' }),
  ),
  action: Type.Optional(Type.String({ description: 'Exact match on the action.' })),
  targetType: Type.Optional(Type.String({ description: 'Only entries about this type of target.' })),
  targetId: Type.Optional(Type.String({ description: 'Only entries about the target with this id.' })),
  ip: Type.Optional(Type.String({ description: 'Only entries from this client address.' })),
  requestId: Type.Optional(Type.String({ description: 'Only entries made under this request id.' })),
}

export const AuditQuery = closed({
  ...filters,
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Page size.' }),
})

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const

export const AuditExportQuery = closed({
  format: Type.Optional(oneOf(EXPORT_FORMATS, { description: 'csv when absent; jsonl is one entry as JSON a line.' })),
  ...filters,
})

export const AuditList = answer('AuditEntryList', {
  items: Type.Array(AuditEntry),
  nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
})

export const AuditVerifyQuery = closed({
  cursor: Type.Optional({
    ...Id,
    description: 'nextCursor of the answer before: only what is behind it is looked at.',
  }),
})

export const ChainState = answer('AuditChainState', {
  intact: Type.Boolean({
    description: 'Whether what was looked at holds: all of the log, where there is no nextCursor.',
  }),
  sealedEntries: Type.Integer(),
  unsealedEntries: Type.Integer({ description: 'Recorded just now, sealed within seconds.' }),
  prunedEntries: Type.Integer({ description: 'Taken by retention; the chain goes on from the last of them.' }),
  seal: Type.String({
    description: 'Hash over all sealed entries: noted elsewhere, it shows later that none was exchanged.',
  }),
  brokenAt: nullable(Type.Integer({ description: 'The first place of the chain that does not hold.' })),
  fault: nullable(
    oneOf(CHAIN_FAULTS, {
      description:
        'The fault there: an entry is missing, was changed or added; resealed: the log was rewritten and its chain ' +
        'computed anew by somebody without our key; key_unknown: ENCRYPTION_KEY no longer holds the key to tell.',
    }),
  ),
  nextCursor: Type.Optional(
    Type.String({
      description: 'There was no time for the rest of a long log: ask for it by this. Absent at its end.',
    }),
  ),
})
