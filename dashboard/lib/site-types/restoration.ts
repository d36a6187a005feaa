// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Restoration = {
  /** Whether nothing is sent or delivered, because the database was restored or copied. */ held: boolean
  heldSince: string | null
  /** Why: `cluster` (the database is in another cluster than before), `behind` (it does not know what it had committed), `told` (the operator said so), `copy` (it was started as a copy). */ reason: 'cluster' | 'behind' | 'told' | 'copy' | null
  /** Whether it runs as a copy, whose mail stays in the mailbox. */ isCopy: boolean
  /** Whether the person may let it go on: an owner of the first workspace. */ mayConfirm: boolean
}

export type RestorationConfirmation = {
  /** Since when it is held, as it was read: another restore is not confirmed by mistake. */ heldSince: string
  /** Sends what was queued when it was held, which may have been sent after the backup. Without it those messages are uncertain. */ sendQueued?: boolean
}

export type RestorationConfirmed = {
  status: 'accepted'
}

export type RestorationOperations = {
  'GET /site/restoration': {
    params: undefined
    query: undefined
    body: undefined
    answer: Restoration
  }
  'POST /site/restoration/confirm': {
    params: undefined
    query: undefined
    body: RestorationConfirmation
    answer: RestorationConfirmed
  }
}
