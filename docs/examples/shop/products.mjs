/** All that is sold, each drawn by a path within 120 by 120. */
export const PRODUCTS = {
  mug: {
    name: 'Mug',
    price: 24,
    words: 'Holds a large coffee, keeps it warm, and stands in your hand as if it had always been there.',
    shape: 'M34 40h44v36a14 14 0 0 1-14 14H48a14 14 0 0 1-14-14zM78 48h7a11 11 0 0 1 0 24h-7v-7h6a5 5 0 0 0 0-10h-6z',
  },
  bowl: {
    name: 'Bowl',
    price: 32,
    words: 'For soup, for salad, for the keys by the door. Glazed inside, left rough outside.',
    shape: 'M22 50h76a38 38 0 0 1-27 36v6H49v-6a38 38 0 0 1-27-36z',
  },
  jug: {
    name: 'Jug',
    price: 46,
    words: 'Pours without a drop beside it. We have turned forty of them until we could say that.',
    shape:
      'M44 26h30l8 6-6 8c2 10 8 16 8 30a24 24 0 0 1-12 22H48a24 24 0 0 1-12-22c0-16 8-22 8-44zM43 51c-14 0-14 20-5 20v8c-20 0-20-40 6-37z',
  },
  vase: {
    name: 'Vase',
    price: 58,
    words: 'Narrow at its neck, so that three flowers are enough. No two have come out of the kiln alike.',
    shape: 'M52 22h16v6c0 12 20 20 20 42a26 26 0 0 1-14 24H46a26 26 0 0 1-14-24c0-22 20-30 20-42z',
  },
}
