// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { Automation } from './shared.ts'

export type AutomationAuthor = {
  kind: 'user' | 'api_token' | 'operator' | 'system'
  id: string | null
  name: string | null
} | null

export type AutomationRevision = {
  /** Counted from 1. */ revision: number
  by: AutomationAuthor
  begunAt: string
  /** Of the last save that went into it. */ savedAt: string
  /** The revision that it was brought back from. */ restoredFrom: number | null
  /** What is edited. It is in force once it is published. */ definition: Record<string, unknown>
  /** What happens to somebody, when, and what they are to get by it: mails by their nodes, tags, ends. What is not expected must not happen (docs/guides/automations.md#scenarios). */ scenarios: Array<Record<string, unknown>>
  since: AutomationRevisionDiff
}

export type AutomationRevisionDiff = {
  /** Parts beside the nodes that differ now. */ parts: Array<string>
  nodes: Array<AutomationRevisionNode>
  /** Whether the scenarios differ. */ scenarios: boolean
}

export type AutomationRevisionNode = {
  node: string
  change: 'added' | 'removed' | 'changed' | 'same'
  /** Those that differ. */ fields: Array<string>
}

export type AutomationRevisionSummary = {
  /** Counted from 1. */ revision: number
  by: AutomationAuthor
  begunAt: string
  /** Of the last save that went into it. */ savedAt: string
  /** The revision that it was brought back from. */ restoredFrom: number | null
}

export type AutomationRevisionSummaryPage = {
  items: Array<AutomationRevisionSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type RevisionsOperations = {
  'GET /automations/{id}/revisions': {
    params: { id: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: AutomationRevisionSummaryPage
  }
  'GET /automations/{id}/revisions/{revision}': {
    params: { id: string; revision: string }
    query: undefined
    body: undefined
    answer: AutomationRevision
  }
  'POST /automations/{id}/revisions/{revision}/restore': {
    params: { id: string; revision: string }
    query: undefined
    body: undefined
    answer: Automation
  }
}
