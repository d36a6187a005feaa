// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Move = {
  id: string
  source: 'brevo' | 'keila' | 'listmonk' | 'mailchimp' | 'mailchimp-archive' | 'keila-file'
  /** What the service is called. */ name: string
  /** Where it is asked; null of a file. */ address: string | null
  /** reading: page by page, nothing is changed. read: waits to be brought in, for a week. failed: `failure` says why; one that was being brought in can be gone on with. */ state: 'reading' | 'read' | 'running' | 'done' | 'failed' | 'canceled'
  /** Whether it can be brought in, or gone on with. */ canStart: boolean
  /** Pages that were read. */ pages: number
  /** The service wants to be left alone until then. */ waitsUntil: string | null
  /** Everything that would come along, as far as it is read, and what would not. */ foreseen: {
    people: {
      total: number
      withConsent: number
      withoutConsent: number
    }
    optOuts: {
      unsubscribed: number
      bounce: number
      complaint: number
      manual: number
    }
    tags: Array<string>
    fields: Array<string>
    templates: Array<string>
    broadcasts: Array<string>
    leftOut: Array<{
      why: string
      count: number
      examples: Array<string>
    }>
  }
  /** What is being brought in. */ stage: 'opt_outs' | 'people' | 'templates' | 'broadcasts' | null
  /** Everything that has come. */ moved: {
    /** Files of people; the import of each has the rows that failed. */ people: Array<{
      file: string
      importId: string
      created: number
      updated: number
      unchanged: number
      failed: number
    }>
    /** The import that runs. */ importing: string | null
    optOuts: {
      added: number
      known: number
    }
    templates: {
      created: number
      known: number
    }
    broadcasts: {
      created: number
      known: number
    }
    leftOut: Array<{
      what: string
      why: string
    }>
    leftOutTotal: number
  }
  /** Why it failed, or was canceled by the system. */ failure: string | null
  createdAt: string
  /** When it was begun to be brought in. */ startedAt: string | null
  endedAt: string | null
  updatedAt: string
}

export type MoveBody = {
  /** The service to be asked. */ source: 'brevo' | 'keila' | 'listmonk' | 'mailchimp'
  /** Where its installation is; of Brevo and Mailchimp only where that is not where it is for everybody. */ address?: string
  /** Its API key; of listmonk `user:token` of an API user. It is kept sealed while the service is read, and forgotten then. */ key: string
}

export type MovePage = {
  items: Array<Move>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type MovesOperations = {
  'GET /moves': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: MovePage
  }
  'GET /moves/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Move
  }
  'POST /moves': {
    params: undefined
    query: undefined
    body: MoveBody
    answer: Move
  }
  'POST /moves/files': {
    params: undefined
    query: {
  /** The archive that Mailchimp exports, or the file of contacts that Keila does. */ source: 'mailchimp-archive' | 'keila-file'
}
    body: unknown
    answer: Move
  }
  'POST /moves/{id}/cancel': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Move
  }
  'POST /moves/{id}/start': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Move
  }
}
