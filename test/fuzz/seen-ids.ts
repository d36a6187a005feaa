import type { Answer } from '../support/http-client.ts'
import type { FuzzRequest } from './requests.ts'

const KEPT_OF_A_KIND = 200

/** Kinds that have their ids from elsewhere. */
const MADE_AS: Readonly<Record<string, string>> = { messages: 'emails' }

export type SeenIds = {
  /** Remembers the ids that an answer tells of. */
  learn(request: FuzzRequest, answer: Answer): void
  /** An id of the kind, by a number that was drawn; one that is nobody's when none was seen. */
  pick(of: 'own' | 'foreign', kind: string, drawn: number): string
}

/** The ids of both workspaces by the word of the path that they follow: `contacts`, `imports`. `kept` are never handed out. */
export function createSeenIds(kept: ReadonlySet<string>): SeenIds {
  const ids = { own: new Map<string, string[]>(), foreign: new Map<string, string[]>() }
  return {
    learn({ operation, caller }, { status, json }) {
      if (status >= 300 || typeof json !== 'object' || json === null) return
      const kind = operation.path.match(/\/([a-z-]+)(?:\/\{\w+\})?$/)?.[1]
      if (kind === undefined) return
      const owner = ids[caller === 'foreign' ? 'foreign' : 'own']
      const known = owner.get(kind) ?? []
      owner.set(kind, known)
      for (const one of [json, json.tokenInfo, ...(Array.isArray(json.items) ? json.items : [])]) {
        // Versions have a number.
        const id = kind === 'versions' && one?.version ? String(one.version) : one?.id
        if (typeof id !== 'string' || kept.has(id) || known.includes(id)) continue
        known.push(id)
        if (known.length > KEPT_OF_A_KIND) known.shift()
      }
    },
    pick(of, kind, drawn) {
      const known = ids[of].get(MADE_AS[kind] ?? kind) ?? []
      return known[drawn % Math.max(1, known.length)] ?? '900000001'
    },
  }
}
