import { holdPages } from './hold-pages.ts'

await holdPages(2)
