import { holdPages } from './hold-pages.ts'

await holdPages(1)
