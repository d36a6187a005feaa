import type { Backup } from '../../lib/site-types.ts'

export const isUnderWay = ({ state }: Pick<Backup, 'state'>) => state === 'waiting' || state === 'running'
