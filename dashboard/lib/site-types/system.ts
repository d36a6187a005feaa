// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type ParkedReplay = {
  /** Of this reader alone. */ group?: string
  /** Only the event at this position of the log. */ position?: string
}

export type ParkedReplayAsked = {
  status: 'accepted'
}

export type System = {
  version: string
  /** Whether the database takes what is written: not while its disk is full, or it can only be read. */ takesWrites: boolean
  readers: Array<{
    /** Reader of the log of events. */ group: string
    /** Age of the oldest row that it has not handled; 0 when it has handled all. */ lagSeconds: number
    /** Rows put aside because they could not be handled. */ parkedRows: number
    /** Of these: untried, for the reader ahead has put them aside. */ waitingRows: number
  }>
  /** The last one that `postroom backup` took; null where it took none. */ lastBackup: {
    takenAt: string
    /** Size of its file. */ bytes: number
  } | null
  /** The oldest events that are parked, at most 50. */ parked: Array<{
    /** Reader that could not handle it. */ group: string
    /** Of the event in the log. */ position: string
    /** Of the event; null where the log has it no more. */ type: string | null
    /** Name of its workspace. */ workspace: string | null
    error: string
    attempts: number
    parkedAt: string
    /** Reader that has to handle it first. */ waitsFor: string | null
  }>
  queues: Array<{
    queue: string
    /** Jobs that could start now. A queue with none is not in the list. */ ready: number
    oldestAgeSeconds: number
  }>
  heldStreams: Array<{
    /** Why mail waits. */ reason: string
    /** Streams of mail that wait for it, of all workspaces. */ streams: number
  }>
}

export type SystemOperations = {
  'GET /site/system': {
    params: undefined
    query: undefined
    body: undefined
    answer: System
  }
  'POST /site/system/parked/replay': {
    params: undefined
    query: undefined
    body: ParkedReplay
    answer: ParkedReplayAsked
  }
}
