/** The job queues, as they are named in metrics (interface specification, Operational metrics). */
export const QUEUES = ['default', 'broadcasts', 'webhooks'] as const
export type QueueName = (typeof QUEUES)[number]
