import { refusal } from "#refusals.ts";

/**
 * The most common passwords that are long enough to be set, and the words that become long enough with digits or signs
 * behind them (`password123456`), in lower case.
 */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 012345678901 098765432109 0987654321098
  121212121212 123123123123 123123123123123 112233445566 111222333444 123321123321 123456123456 123456654321 147258369147
  135792468013 102030405060 101010101010 159753159753 147852369147 987654321098 987654321012 123456789123 123456789987
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc q1w2e3r4t5y6 q1w2e3r4t5y6u7
  1a2b3c4d5e6f a1b2c3d4e5f6 qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiopasdf qwertyuiopasdfghjklzxcvbnm
  asdfghjkl123 asdfghjklzxc zxcvbnmasdfg qazwsxedcrfv qazwsxedc123 qweasdzxc123 qwerty123456 qwerty1234567 qwertyqwerty
  asdfasdfasdf zaq12wsxcde3 zaq1xsw2cde3 zaq12wsx3edc !qaz2wsx3edc 1234qwerasdf 1234qwerasdfzxcv qwer1234asdf abcd1234abcd
  abc123abc123 abcdefghijkl abcdefghijklm abcdefghijklmn abcdefghijklmnop abcdefghijklmnopqrstuvwxyz aabbccddeeff abcabcabcabc
  password password1 passwordpassword password1password passw0rd p@ssw0rd p@ssword pa$$word pa$$w0rd p4ssw0rd p455w0rd
  mypassword newpassword thispassword yourpassword ourpassword password12345password secretpassword defaultpassword
  temppassword temporarypassword temporary userpassword adminpassword administrator administratoradministrator rootpassword
  adminadmin adminadminadmin admin administrador superadmin superuser rootroot rootrootroot root toor testtest testtesttest
  test testing tester testpassword guest guestguest guestguestguest user useruser changeme changemeplease changemenow
  changeit pleasechangeme letmein letmeinplease letmeinnow welcome welcomewelcome welcomehome welcometo default secret
  secretsecret topsecret private master mastermaster masterkey login loginlogin access accessaccess opensesame sesame
  hello hellohello helloworld hello_world helloworldhello iloveyou iloveyouiloveyou iloveyousomuch iloveyouforever
  iloveyoubaby ilovemyself ilovemyfamily ilovemymom ilovejesus jesusislord jesuschrist jesusloves trustno1 trustnoone
  whatever whateverwhatever monkey dragon shadow sunshine sunshinesunshine princess football baseball basketball
  liverpool manchester manchesterunited manutd arsenal chelsea barcelona realmadrid superman batman spiderman starwars
  pokemon naruto michael jennifer jessica ashley charlie daniel matthew anthony thomas jordan jordan23 harley ranger hunter
  qwerty qwertz qwertzuiop azerty azertyuiop qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm zxcvbnmzxcvbnm qazwsx qazwsxedc
  1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 zaq12wsx zaq1zaq1 q1w2e3r4 abc123 abcd1234 abcdef abcdefg a1b2c3 a1b2c3d4
  correcthorsebatterystaple correct-horse-battery-staple correct horse battery staple thequickbrownfox
  summer winter spring autumn january february march april june july august september october november december
  monday tuesday wednesday thursday friday saturday sunday company companyname corporate office service server database
  postgres postgresql oracle mysql redis docker kubernetes github gitlab developer development production staging
  sightline sightlinesightline sightlineadmin adminsightline observability codeindex
  computer internet internetinternet samsung google facebook microsoft windows apple iphone android
  thisisapassword thisismypassword thisisasecret mysecretpassword mysupersecretpassword supersecret supersecretpassword
  verysecret verysecretpassword nopassword passwordless ihatepasswords forgotpassword forgetpassword password!
  fuckyou fuckyoufuckyou fuckfuckfuck asshole bullshit mother motherfucker
  `
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** @throws {AppError} 400 `password_too_common`. */
export function refuseGuessable(password: string, email: string): void {
  if (isGuessable(password, email)) {
    throw refusal("password_too_common");
  }
}

/** Whether the password is one that attackers try first. Its length is checked by the schemas. */
export function isGuessable(password: string, email: string): boolean {
  const plain = password.normalize("NFKC").toLowerCase();
  const name = email.split("@")[0]?.toLowerCase() ?? "";
  const withoutEnd = plain.replace(/[\d\W_]+$/, "");
  const isRepeated = /^(.{1,4})\1*$/s.test(plain);
  return (
    isRepeated || COMMON_PASSWORDS.has(plain) || COMMON_PASSWORDS.has(withoutEnd) || plain === email.toLowerCase() || withoutEnd === name
  );
}
