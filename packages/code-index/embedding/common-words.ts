/**
 * The words that most chunks of code hold, the commonest first: counted over ten repositories in nine languages. They
 * stand for the frequencies in a tenant's own code, which change with every push and would make its vectors wrong.
 */
const COMMON_WORDS = `
  if the return to is a for src in of 0 this and not type string be value t 1 with as get error const new that use or from
  it an main by true on 2 set name code int class default else false self any java public file s none function null 3 data
  static are can str object request will def context all h no param void has bool result std url exception size see
  include com method options import ts json when c f format at used may config number fmt path we instance let returns
  types char key async http n err create write read map fn only base final version node should p e i next add length
  packages using private time end response try boolean link js app list template stream server current since d 8 64 case
  func k which internal must you so go status throw util without bytes https append start id b max struct out have raw but
  empty client values auto content assert index export except first override cc ignore buffer handle lib db copy make
  parse check uint utils call array non state handler one ok headers module throws send 4 runtime message slice either
  build logger v same files await builder raise sync while into level len was undefined some init output errors given 32
  do typename found license other namespace header log env iterator cast copyright r more interface 5 text package range
  example then required info after view x ctx before pre close pub timeout invalid query debug specific num instead field
  kind remove 10 last count constexpr block valid source args join typing argument than match thread route impl test
  extends var delete like byte nil each schema environment specified reader does long
`;

const RANKS = new Map(
  COMMON_WORDS.trim()
    .split(/\s+/)
    .map((word, index) => [word, index + 1]),
);

/** What the commonest word weighs. */
const LEAST = 0.3;

/** A word's weight from 0.3 to 1, as its inverse document frequency goes with its rank. */
export function weightOf(word: string): number {
  const rank = RANKS.get(word);
  return rank === undefined ? 1 : LEAST + (1 - LEAST) * (Math.log(rank) / Math.log(RANKS.size)) ** 2;
}
