import type { Pools } from './app.ts'
import type { Config } from './config.ts'
import type { BackupsModuleDeps } from './modules/backups/module.ts'
import type { FeedbackModuleDeps } from './modules/feedback/module.ts'
import type { CatcherAddress } from './modules/mailbox/catcher-address.ts'
import type { SendResult } from './modules/sending/turn/record-results.ts'
import type { SubmissionModuleDeps } from './modules/submission/module.ts'
import type { LostHits } from './modules/tracking/record-hits.ts'
import type { DropReason } from './modules/visitors/drop-browser.ts'
import type { SecretKeys } from './platform/crypto/secret-box.ts'
import type { Attempt } from './platform/jobs/queue-worker.ts'
import type { GuardedClient } from './platform/net/guarded-client.ts'
import type { ConsumerDeps } from './platform/outbox/consumer.ts'

export type ComposeDeps = {
  config: Config
  pools: Pools
  keys: SecretKeys
  client: GuardedClient
  /** The built-in mail server of this process, if it runs. */
  catcher?: CatcherAddress | undefined
  /** Takes and reads copies of the database; absent where nobody asks for one. */
  backupFiles?: BackupsModuleDeps['files']
  onAttempt: (attempt: Attempt) => void
  onCommitted: (events: number) => void
  /** Each bounce and complaint, and each mail that came back by what it was. */
  onFeedback?: FeedbackModuleDeps['onFeedback']
  onReturnedMail?: FeedbackModuleDeps['onMail']
  /** Events of browsers that are dropped, by why. */
  onCollectDropped?: (events: number, reason: DropReason | 'contacts_limit') => void
  /** Each mail that a program handed over by SMTP, by what became of it. */
  onSubmission?: SubmissionModuleDeps['onSubmission']
  /** Opens and clicks that are not counted. */
  onLostHits?: (lost: LostHits) => void
  /** Each tool that an agent called, and how that ended. */
  onAgentCall?: (tool: string, outcome: string) => void
  /** Results of messages that were recorded. */
  onRecorded?: (results: readonly SendResult[]) => void
  /** At the stop: how many results of deliveries or messages were not recorded. */
  onUnrecorded?: (results: number) => void
  /** Events that were parked by a job and not by their consumer group. */
  onParked?: ConsumerDeps['onParked']
  onError: (error: unknown) => void
}
