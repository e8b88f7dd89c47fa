alter table identity.oauth_grants drop column evaluation;
