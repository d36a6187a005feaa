import type { NoticeKind } from './notices/notice-kind.ts'
import { OF_GATEWAYS } from './notices/of-gateways.ts'
import { OF_GROUPWARE } from './notices/of-groupware.ts'
import { OF_SERVERS } from './notices/of-servers.ts'

export const NOTICE_KINDS: readonly NoticeKind[] = [...OF_SERVERS, ...OF_GROUPWARE, ...OF_GATEWAYS]
