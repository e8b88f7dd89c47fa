import { describeCompanySignIn } from "./company-sign-in.ts";
import { describePasskeys } from "./passkeys.ts";
import { startAlone } from "./product.ts";
import { describeSecondFactor } from "./second-factor.ts";
import { visitProduct } from "./visit.ts";

const visit = visitProduct(() => startAlone([]));

describeSecondFactor(visit);

describeCompanySignIn(visit);

describePasskeys(visit);
