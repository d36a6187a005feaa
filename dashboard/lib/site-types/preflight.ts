// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type BroadcastPreflight = {
  /** Whether nothing keeps it from being sent. */ ready: boolean
  /** `updatedAt` of the broadcast as it was looked at: `send` and `schedule` take it as `expectedUpdatedAt`. */ updatedAt: string
  /** Names of those it goes to. One that is no more is not there. */ audience: {
    /** None: every contact with an address. */ segments: Array<{
      id: string
      name: string
    }>
    excludedSegments: Array<{
      id: string
      name: string
    }>
    topic: {
      id: string
      name: string
    } | null
  }
  /** The findings, errors first. */ checks: Array<PreflightCheck>
  /** How many contacts its audience has now. Null when they could not be counted in time. */ recipientsCount: number | null
  /** Who of its audience would get it if it were sent now. Null when that took too long to find out. */ forecast: {
    /** How many of them would get it. */ sendCount: number
    /** Who would not, by why; the most first. With `sendCount` they sum up to `recipientsCount`. */ skips: Array<{
      state: 'skipped' | 'suppressed'
      /** As in the report. */ reason: string
      /** The rule that stands against it. */ rule: 'address' | 'suppression' | 'everything' | 'source' | 'topic' | 'contact' | 'proof' | 'consent' | null
      count: number
    }>
  } | null
  /** Size of the HTML part for a sample person, as it goes out: with its tracked links. */ htmlBytes: number | null
}

export type PreflightCheck = {
  /** Stable: branch on this. */ code: 'subject_missing' | 'body_missing' | 'content_faulty' | 'content_warning' | 'render_failed' | 'unsubscribe_missing' | 'unknown_field' | 'no_integration' | 'integration_disabled' | 'unverified_domain' | 'workspace_unnamed' | 'segment_invalid' | 'audience_empty' | 'audience_skipped' | 'audience_uncounted' | 'link_broken' | 'link_insecure' | 'link_unanswered' | 'message_large' | 'text_missing' | 'spam_words' | 'postal_address_missing'
  /** An error keeps it from being sent. */ severity: 'error' | 'warning'
  /** The field at fault. */ field: string | null
  /** The line of the field, from 1. */ line: number | null
  /** For a person. */ detail: string
}

export type PreflightOperations = {
  'GET /broadcasts/{id}/preflight': {
    params: { id: string }
    query: {
  /** Asks the servers behind its links, 20 at most, whether they answer. */ checkLinks?: boolean
}
    body: undefined
    answer: BroadcastPreflight
  }
}
