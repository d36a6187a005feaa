// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type AuditChainState = {
  /** Whether what was looked at holds: all of the log, where there is no nextCursor. */ intact: boolean
  sealedEntries: number
  /** Recorded just now, sealed within seconds. */ unsealedEntries: number
  /** Taken by retention; the chain goes on from the last of them. */ prunedEntries: number
  /** Hash over all sealed entries: noted elsewhere, it shows later that none was exchanged. */ seal: string
  /** The first place of the chain that does not hold. */ brokenAt: number | null
  /** The fault there: an entry is missing, was changed or added; resealed: the log was rewritten and its chain computed anew by somebody without our key; key_unknown: ENCRYPTION_KEY no longer holds the key to tell. */ fault: 'missing' | 'changed' | 'added' | 'resealed' | 'key_unknown' | null
  /** There was no time for the rest of a long log: ask for it by this. Absent at its end. */ nextCursor?: string
}

export type AuditEntry = {
  id: string
  occurredAt: string
  actor: {
    kind: 'user' | 'api_token' | 'operator' | 'system'
    id: string | null
    name: string | null
  }
  action: string
  target: {
    type: string
    id: string | null
    name: string | null
  }
  diff: Record<string, unknown>
  requestId: string | null
  /** Client address. */ ip: string | null
  userAgent: string | null
}

export type AuditEntryList = {
  items: Array<AuditEntry>
  /** Absent on the last page. */ nextCursor?: string
}

export type AuditEntriesOperations = {
  'GET /audit-entries': {
    params: undefined
    query: {
  /** Only entries at or after this time. */ from?: string
  /** Only entries strictly before this time. */ to?: string
  /** Only entries by this kind of actor. */ actorKind?: 'user' | 'api_token' | 'operator' | 'system'
  /** Only entries by this user or API token; ignored when actorKind is operator. */ actorId?: string
  /** Exact match on the action. */ action?: string
  /** Only entries about this type of target. */ targetType?: string
  /** Only entries about the target with this id. */ targetId?: string
  /** Only entries from this client address. */ ip?: string
  /** Only entries made under this request id. */ requestId?: string
  /** nextCursor of the page before. */ cursor?: string
  /** Page size. */ limit?: number
}
    body: undefined
    answer: AuditEntryList
  }
  'GET /audit-entries/export': {
    params: undefined
    query: {
  /** csv when absent; jsonl is one entry as JSON a line. */ format?: 'csv' | 'jsonl'
  /** Only entries at or after this time. */ from?: string
  /** Only entries strictly before this time. */ to?: string
  /** Only entries by this kind of actor. */ actorKind?: 'user' | 'api_token' | 'operator' | 'system'
  /** Only entries by this user or API token; ignored when actorKind is operator. */ actorId?: string
  /** Exact match on the action. */ action?: string
  /** Only entries about this type of target. */ targetType?: string
  /** Only entries about the target with this id. */ targetId?: string
  /** Only entries from this client address. */ ip?: string
  /** Only entries made under this request id. */ requestId?: string
}
    body: undefined
    answer: string
  }
  'GET /audit-entries/verify': {
    params: undefined
    query: {
  /** nextCursor of the answer before: only what is behind it is looked at. */ cursor?: string
}
    body: undefined
    answer: AuditChainState
  }
}
