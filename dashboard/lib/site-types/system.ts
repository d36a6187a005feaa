// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Backup = {
  id: string
  /** A backup that is `done` was read to its end. */ state: 'waiting' | 'running' | 'done' | 'failed'
  fileName: string
  askedAt: string
  /** Name of the person; null for one of every night. */ askedBy: string | null
  /** The moment that it is a copy of. */ takenAt: string | null
  /** Of the database so far, while it is taken. */ copiedBytes: number
  /** Size of the file. */ bytes: number | null
  /** The machine that took it. */ host: string | null
  /** Whether the file is in `BACKUP_DIR` of the process that answers. */ isHere: boolean
  /** Why it failed. */ error: string | null
  endedAt: string | null
}

export type BackupFileBody = {
  /** Your own, where it is asked for and you have no second factor. */ password?: string
  /** Of your second factor, instead of the password. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
}

export type BackupFileLink = {
  /** Of the file, for a minute and for this person alone. */ path: string
}

export type BackupSchedule = {
  /** Hour in UTC after which one is taken every day; null: none is. */ hour: number | null
  /** Backups of every night that are kept: older ones are removed. Those that somebody asked for stay. */ kept: number
}

export type Backups = {
  /** `BACKUP_DIR` of the process that answers. */ directory: string
  schedule: {
    /** Hour in UTC after which one is taken every day; null: none is. */ hour: number | null
    /** Backups of every night that are kept: older ones are removed. Those that somebody asked for stay. */ kept: number
  }
  /** The newest 100, newest first. */ items: Array<Backup>
}

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
  /** The night's that failed last; null once one was taken since, or none is to be taken any more. */ failedBackup: {
    endedAt: string
    error: string
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
  /** What the last look at everybody in every automation found that can never be; every minute. */ automations: {
    checkedAt: string | null
    faults: Array<{
      /** As the metric `postroom_automation_faults` has it. */ fault: string
      found: number
      /** What was counted, in words. */ is: string
    }>
  }
  heldStreams: Array<{
    /** Why mail waits. */ reason: string
    /** Streams of mail that wait for it, of all workspaces. */ streams: number
  }>
}

export type SystemOperations = {
  'DELETE /site/system/backups/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /site/system': {
    params: undefined
    query: undefined
    body: undefined
    answer: System
  }
  'GET /site/system/backups': {
    params: undefined
    query: undefined
    body: undefined
    answer: Backups
  }
  'GET /site/system/backups/{id}/file': {
    params: { id: string }
    query: {
  /** Of the link. */ key: string
}
    body: undefined
    answer: string
  }
  'POST /site/system/backups': {
    params: undefined
    query: undefined
    body: undefined
    answer: Backup
  }
  'POST /site/system/backups/{id}/file': {
    params: { id: string }
    query: undefined
    body: BackupFileBody
    answer: BackupFileLink
  }
  'POST /site/system/parked/replay': {
    params: undefined
    query: undefined
    body: ParkedReplay
    answer: ParkedReplayAsked
  }
  'PUT /site/system/backups/schedule': {
    params: undefined
    query: undefined
    body: BackupSchedule
    answer: BackupSchedule
  }
}
